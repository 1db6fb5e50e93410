import APNs
import Postgres
import Testing
import TimeZones

@testable import Core
@testable import Service

@Suite struct HeartbeatScheduleTests {
    private static let lane = LaneIdentity(environment: "sandbox", topic: "com.example.app")
    private static let other = LaneIdentity(environment: "production", topic: "com.example.app")

    private static func report(_ status: LaneStatus, _ lane: LaneIdentity = lane) -> LaneReport {
        LaneReport(LaneSample(lane: lane, status: status), since: nil) { Instant(seconds: $0 / 1000) }
    }

    @Test func beat_atFirstAndEveryTenSeconds() {
        var schedule = HeartbeatSchedule()
        let lanes = [Self.report(.open)]
        #expect(schedule.isDue(now: 5, lanes: lanes))
        schedule.noteBeat(now: 5, lanes: lanes)
        #expect(!schedule.isDue(now: 6, lanes: lanes))
        #expect(!schedule.isDue(now: 10_004, lanes: lanes))
        #expect(schedule.isDue(now: 10_005, lanes: lanes))
    }

    @Test(arguments: [
        (LaneStatus.open, LaneStatus.idle, true),
        (.open, .stopped(reason: "a", remedy: "b", nextProbe: 9), true),
        (.stopped(reason: "a", remedy: "b", nextProbe: 9), .stopped(reason: "c", remedy: "b", nextProbe: 9), true),
        // A later probe of the same fault is no news.
        (
            .stopped(reason: "a", remedy: "b", nextProbe: 9), .stopped(reason: "a", remedy: "b", nextProbe: 60_009),
            false
        ),
        (.resting(until: 1), .resting(until: 2), false),
        (.backingOff(until: 1, why: "x"), .backingOff(until: 2, why: "x"), false),
        (.backingOff(until: 1, why: "x"), .backingOff(until: 1, why: "y"), true),
    ])
    func beat_whenALaneGoes(from before: LaneStatus, to after: LaneStatus, isDue: Bool) {
        var schedule = HeartbeatSchedule()
        schedule.noteBeat(now: 0, lanes: [Self.report(.open, Self.other), Self.report(before)])
        #expect(schedule.isDue(now: 1, lanes: [Self.report(.open, Self.other), Self.report(after)]) == isDue)
    }

    @Test func beat_whenALaneComesOrGoes() {
        var schedule = HeartbeatSchedule()
        schedule.noteBeat(now: 0, lanes: [Self.report(.open)])
        #expect(schedule.isDue(now: 1, lanes: []))
        #expect(schedule.isDue(now: 1, lanes: [Self.report(.open), Self.report(.open, Self.other)]))
        #expect(schedule.isDue(now: 1, lanes: [Self.report(.open, Self.other)]))
    }

    @Test func beat_whenTheDecisionServiceFails_isDueAtOnce() {
        var schedule = HeartbeatSchedule()
        var status = DecisionStatus(since: nil)
        schedule.noteBeat(now: 0, lanes: [], decision: status)
        #expect(!schedule.isDue(now: 1, lanes: [], decision: status))
        #expect(schedule.isDue(now: 1, lanes: [], decision: nil))
        status.note(fault: "x", now: nil)
        #expect(schedule.isDue(now: 1, lanes: [], decision: status))
    }

    @Test func beat_whenSweepsFailAndWorkAgain_isDueAtOnce() {
        var schedule = HeartbeatSchedule()
        schedule.noteBeat(now: 0, lanes: [])
        #expect(!schedule.isDue(now: 1, lanes: [], failure: nil))
        let error = PostgresError(.refusedByServer, sqlState: "42P01", statement: "drain")
        var failure = SweepFailure(error, since: Instant(seconds: 5))
        #expect(schedule.isDue(now: 1, lanes: [], failure: failure))
        schedule.noteBeat(now: 1, lanes: [], failure: failure)
        failure.since = Instant(seconds: 6)
        #expect(!schedule.isDue(now: 2, lanes: [], failure: failure))
        failure.until = Instant(seconds: 7)
        #expect(schedule.isDue(now: 2, lanes: [], failure: failure))
    }

    @Test func since_isWhenTheStateBegan() {
        var memory = LaneMemory()
        func report(_ status: LaneStatus, _ seconds: Int64?) -> LaneReport? {
            let sample = LaneSample(lane: Self.lane, status: status)
            return memory.reports([sample], now: seconds.map(Instant.init(seconds:)), boot: 1_000_000).first
        }
        // The clock is not read yet: since when is known from the first reading on.
        #expect(report(.open, nil)?.since == nil)
        #expect(report(.open, 100)?.since == Instant(seconds: 100))
        #expect(report(.open, 150)?.since == Instant(seconds: 100))
        let stopped = report(.stopped(reason: "r", remedy: "m", nextProbe: 1_030_000), 160)
        #expect(stopped?.since == Instant(seconds: 160))
        #expect(stopped?.nextProbe == Instant(seconds: 190))
        let later = report(.stopped(reason: "r", remedy: "m", nextProbe: 1_090_000), 200)
        #expect(later?.since == Instant(seconds: 160))
        // A probe whose time has come, or that nobody has set.
        #expect(report(.stopped(reason: "r", remedy: "m", nextProbe: .min), 210)?.nextProbe == Instant(seconds: 210))
        #expect(report(.open, 220)?.since == Instant(seconds: 220))
    }
}
