import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Demo

@Suite struct DayCheckTests {
    /// 2026-07-01 00:00 UTC: 02:00 in Berlin, 05:30 in Kolkata.
    private static let start = Instant(seconds: 1_782_864_000)

    private func device(_ token: String, _ answer: DemoDevice.Answer = .accepted) -> DemoDevice {
        DemoDevice(token: token, platform: "ios", registeredAt: 1_000, answer: answer)
    }

    private func person(_ zone: String?, _ tokens: [String], night: Night = .usual, change: DemoPerson.Change? = nil)
        -> DemoPerson
    {
        DemoPerson(
            userID: UUID(),
            preferences: "{}",
            timezone: zone,
            firstSessionComplete: true,
            devices: tokens.map { device($0) },
            zone: zone,
            night: night,
            isServed: true,
            change: change
        )
    }

    private func directory(_ people: [DemoPerson]) -> Directory {
        Directory(DemoPopulation(people: people), zones: ZoneDatabase(), start: Self.start)
    }

    private func push(_ token: String, minute: Int, _ collapseID: String = "c") -> PushLog {
        PushLog(token: token, apnsID: UUID(), collapseID: collapseID, minute: minute)
    }

    @Test func hours_whenSomeoneIsWoken() {
        let directory = directory([person("Europe/Berlin", ["a"]), person("Asia/Kolkata", ["b"])])
        // 07:59 and 08:00 in Berlin, 21:59 and 22:00 in Kolkata.
        let hours = LocalHours(
            pushes: [push("a", minute: 359), push("a", minute: 360), push("b", minute: 989), push("b", minute: 990)],
            directory: directory
        )
        #expect(hours.sends[7] == 1 && hours.sends[8] == 1 && hours.sends[21] == 1 && hours.sends[22] == 1)
        #expect(hours.woken == 2 && hours.wokenByHour[7] == 1 && hours.wokenByHour[22] == 1)
        #expect(hours.people == 2 && hours.asleep[3] == 2 && hours.asleep[12] == 0)
    }

    @Test func hours_whenNobodyKnowsWhetherTheySleep() {
        let directory = directory([person(nil, ["a"])])
        #expect(
            LocalHours(pushes: [push("a", minute: 720), push("stranger", minute: 720)], directory: directory).woken == 2
        )
    }

    @Test func hours_whenPreferencesChanged() {
        let change = DemoPerson.Change(minute: 600, preferences: "{}", night: Night(start: 720, end: 780))
        let directory = directory([person("UTC", ["a"], change: change)])
        #expect(LocalHours(pushes: [push("a", minute: 599), push("a", minute: 1400)], directory: directory).woken == 0)
        #expect(LocalHours(pushes: [push("a", minute: 720)], directory: directory).woken == 1)
    }

    @Test func status_whenTokensAreGone() {
        let directory = directory([person("UTC", ["a"]), person("UTC", ["b"]), person("Asia/Tokyo", ["c"])])
        // 12:00 UTC is 21:00 in Tokyo, 14:00 UTC 23:00.
        #expect(directory.status(at: 720, tokensLeft: ["a", "b", "c"]) == (3, 0))
        #expect(directory.status(at: 840, tokensLeft: ["a", "b", "c"]) == (2, 1))
        #expect(directory.status(at: 840, tokensLeft: ["b"]) == (1, 0))
    }

    private func check(
        pushes: [PushLog] = [],
        devices: [DemoDevice] = [],
        askedOf: Set<String> = [],
        tokensLeft: Set<String> = []
    ) -> DayCheck {
        DayCheck(
            agreement: Agreement(accepted: [], recorded: [], unknown: []),
            hours: LocalHours(),
            pushes: pushes,
            devices: Dictionary(devices.map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first }),
            askedOf: askedOf,
            tokensLeft: tokensLeft
        )
    }

    @Test func check_whenANudgeCameTwice() {
        #expect(
            check(pushes: [push("a", minute: 1, "x"), push("a", minute: 2, "y"), push("b", minute: 1, "x")]).holds
        )
        let twice = check(pushes: [push("a", minute: 1, "x"), push("a", minute: 90, "x")])
        #expect(twice.repeated == 1 && !twice.holds)
    }

    @Test func check_whenTokensWereDeleted() {
        let stale = device("stale", .unregistered(since: 2_000))
        let returned = device("returned", .unregistered(since: 500))
        let good = device("good")
        let all = [stale, returned, good]
        let asked: Set = ["stale", "returned", "good"]
        #expect(check(devices: all, askedOf: asked, tokensLeft: ["returned", "good"]).holds)
        #expect(check(devices: all, askedOf: [], tokensLeft: asked).holds)
        #expect(check(devices: all, askedOf: asked, tokensLeft: asked).wrongTokens == 1)
        #expect(check(devices: all, askedOf: asked, tokensLeft: ["good"]).wrongTokens == 1)
        #expect(check(devices: all, askedOf: asked, tokensLeft: ["returned"]).wrongTokens == 1)
        #expect(check(devices: all, askedOf: [], tokensLeft: ["returned", "good"]).wrongTokens == 1)
    }
}
