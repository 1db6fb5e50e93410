import Testing

@testable import Operator
@testable import Core
@testable import TimeZones

@Suite struct ZoneFactsTests {
    private static let now = Instant(rfc3339: "2026-11-21T12:00:00Z") ?? Instant(seconds: 0)

    private static func findings(
        release: String? = "2026a",
        count: Int = 2,
        failures: [String] = [],
        server: [String: Int] = ["Europe/Berlin": 3600, "Asia/Kolkata": 19_800],
        used: [(name: String, count: Int)] = []
    ) -> [String: Finding] {
        let facts = facts(release: release, count: count, failures: failures)
        var found = Dictionary(uniqueKeysWithValues: facts.findings(now: now).map { ($0.check, $0) })
        (found["postgresql"], found["used"]) = (facts.compared(server), facts.known(used, server))
        return found
    }

    private static func facts(release: String? = "2026a", count: Int = 2, failures: [String] = []) -> ZoneFacts {
        ZoneFacts(
            directory: "/zones",
            isChosen: false,
            release: ZoneDatabase.Release(name: release, modified: Instant(rfc3339: "2026-02-01T00:00:00Z")),
            count: count,
            failures: failures,
            offsets: ["Europe/Berlin": 3600, "Asia/Kolkata": 19_800, "UTC": 0]
        )
    }

    /// Each year has had a release: of the one before the last, one is missing for sure.
    @Test(arguments: [("2026a", Finding.Level.ok), ("2025b", .ok), ("2024b", .warning), ("2019c", .warning)])
    func release_whenItIsOfTheYearBeforeLast_isOld(name: String, expected: Finding.Level) {
        #expect(Self.findings(release: name)["release"]?.level == expected)
    }

    @Test func release_whenTheFilesDontSay_isUnchecked() throws {
        let finding = try #require(Self.findings(release: nil)["release"])
        #expect(finding.level == .unchecked && finding.found.contains("293 days old"), "\(finding)")
    }

    @Test func files_whenSomeCantBeReadOrNoneAreThere_areAnError() {
        #expect(Self.findings()["files"]?.found == "2 zones in /zones (the system's)")
        let broken = Self.findings(failures: ["/zones/Europe/Berlin: Input/output error"])["files"]
        #expect(broken?.status == .unavailable && broken?.found.contains("Europe/Berlin") == true)
        #expect(Self.findings(count: 0)["files"]?.status == .configuration)
    }

    @Test func used_whenThisHostLacksAName_isAWarningWithTheCount() throws {
        #expect(Self.findings(used: [("Europe/Berlin", 7), ("UTC", 1)])["used"]?.level == .ok)
        let server = ["Europe/Berlin": 3600, "Asia/Kolkata": 19_800, "Asia/New": 0]
        let newer = try #require(Self.findings(server: server, used: [("Asia/New", 2), ("CET", 1)])["used"])
        #expect(newer.level == .warning && newer.found.hasPrefix("3 users and reminders have a zone"), "\(newer)")
        #expect(newer.found.contains("Asia/New") && newer.remedy?.contains("upgrade") == true, "\(newer)")
        let abbreviated = Self.findings(used: [("CET", 1)])["used"]
        #expect(abbreviated?.remedy?.contains("Europe/Berlin") == true)
        // U+212A KELVIN SIGN is no K.
        #expect(Self.findings(used: [("Asia/\u{212A}olkata", 1)])["used"]?.level == .warning)
    }

    @Test func waiting_whenUsersHaveNoValidZone_countsTheirMessages() {
        let facts = Self.facts()
        func waiting(_ users: [(String?, String?, Int)], standard: String? = nil) -> Finding {
            facts.waiting(users, standard: standard)
        }
        let placed: [(String?, String?, Int)] = [
            ("Europe/Berlin", nil, 3), ("CET", "UTC", 2), (nil, "Asia/Kolkata", 1),
        ]
        #expect(waiting([]).level == .ok && waiting(placed).level == .ok)
        let some = waiting(placed + [("CET", "EST", 4), (nil, nil, 5)])
        #expect(some.level == .warning && some.found.hasPrefix("9 messages wait for users without"), "\(some)")
        #expect(waiting([(nil, nil, 5)], standard: "Europe/Berlin").level == .ok)
        #expect(waiting([(nil, nil, 1)], standard: "CET").found.hasPrefix("1 message waits"))
    }

    @Test func server_whenItsHourDiffers_isAWarningThatNamesAZone() {
        #expect(Self.findings()["postgresql"]?.level == .ok)
        let other = Self.findings(server: ["Europe/Berlin": 7200, "Asia/Kolkata": 19_800])["postgresql"]
        #expect(other?.level == .warning)
        #expect(other?.found.contains("1 zone, for example Europe/Berlin: +02:00 there, +01:00 here") == true)
        let lacking = Self.findings(server: ["Europe/Berlin": 3600])["postgresql"]
        #expect(lacking?.level == .ok && lacking?.found.hasSuffix("it lacks 1, for example Asia/Kolkata") == true)
    }
}
