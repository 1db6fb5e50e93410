import APNs
import Postgres
import Testing
import TimeZones

@testable import Core
@testable import Service

import struct FoundationEssentials.UUID

@Suite struct HeartbeatTests {
    private static let lane = LaneIdentity(environment: "sandbox", topic: "com.example.app")
    private static let other = LaneIdentity(environment: "production", topic: "com.example.app")

    private static func report(_ status: LaneStatus, _ lane: LaneIdentity = lane) -> LaneReport {
        LaneReport(lane, status, now: Instant(seconds: 0), boot: 0)
    }

    private static func state(_ lanes: [LaneReport] = []) -> DaemonState {
        DaemonState(lanes: lanes, inFlight: 0, intervalMilliseconds: 1000)
    }

    /// Whether the second state is written a millisecond after the first.
    private static func isDue(_ first: DaemonState, then second: DaemonState) -> Bool {
        var memory = HeartbeatMemory()
        _ = memory.due(first, boot: 0)
        return memory.due(second, boot: 1) != nil
    }

    @Test func beat_atFirstAndEveryTenSeconds() {
        var memory = HeartbeatMemory()
        let due = ([5, 6, 10_004, 10_005, 10_006] as [Int64]).map { memory.due(Self.state(), boot: $0) != nil }
        #expect(due == [true, false, false, true, false])
        // A lane comes or goes.
        let one = Self.state([Self.report(.open)])
        #expect(Self.isDue(one, then: Self.state()))
        #expect(Self.isDue(one, then: Self.state([Self.report(.open), Self.report(.open, Self.other)])))
        #expect(Self.isDue(one, then: Self.state([Self.report(.open, Self.other)])))
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
    ]) func beat_whenALaneGoes(from before: LaneStatus, to after: LaneStatus, isDue: Bool) {
        let other = Self.report(.open, Self.other)
        let states = [before, after].map { Self.state([other, Self.report($0)]) }
        #expect(Self.isDue(states[0], then: states[1]) == isDue)
    }

    @Test func lastGood_whenSweepsAreBadOrNoClockIsKnown_stays() {
        var memory = HeartbeatMemory()
        for (isGood, second) in [(true, nil), (false, 50), (true, 100), (true, nil), (false, 200)] as [(Bool, Int64?)] {
            var report = SweepReport()
            report.isGood = isGood
            memory.finished(report, now: second.map { Instant(seconds: $0) })
        }
        #expect(memory.state.lastGood == Instant(seconds: 100))
    }

    @Test func beat_whenTheDecisionServiceOrSweepsFailAndWorkAgain_isDueAtOnce() {
        var (before, after) = (Self.state(), Self.state())
        var status = DecisionStatus(since: nil)
        before.decision = status
        #expect(Self.isDue(before, then: after))
        after.decision = status
        #expect(!Self.isDue(before, then: after))
        status.note(fault: "x", now: nil)
        after.decision = status
        #expect(Self.isDue(before, then: after))
        (before, after) = (Self.state(), Self.state())
        let error = PostgresError(.refusedByServer, sqlState: "42P01", statement: "drain")
        after.failure = SweepFailure(error, since: Instant(seconds: 5))
        #expect(Self.isDue(before, then: after))
        before.failure = SweepFailure(error, since: Instant(seconds: 6))
        #expect(!Self.isDue(before, then: after))
        after.failure?.until = Instant(seconds: 7)
        #expect(Self.isDue(before, then: after))
    }

    @Test func since_isWhenTheStateBegan() {
        var memory = HeartbeatMemory()
        func report(_ status: LaneStatus, _ seconds: Int64?) -> LaneReport? {
            let now = seconds.map(Instant.init(seconds:))
            memory.take([LaneReport(Self.lane, status, now: now, boot: 1_000_000)])
            return memory.state.lanes.first
        }
        // The clock is not read yet: since when is known from the first reading on.
        #expect(report(.open, nil)?.since == nil && report(.open, 100)?.since == Instant(seconds: 100))
        #expect(report(.open, 150)?.since == Instant(seconds: 100))
        let stopped = report(.stopped(reason: "r", remedy: "m", nextProbe: 1_030_000), 160)
        #expect(stopped?.since == Instant(seconds: 160) && stopped?.nextProbe == Instant(seconds: 190))
        let later = report(.stopped(reason: "r", remedy: "m", nextProbe: 1_090_000), 200)
        #expect(later?.since == Instant(seconds: 160))
        // A probe whose time has come, or that nobody has set.
        #expect(report(.stopped(reason: "r", remedy: "m", nextProbe: .min), 210)?.nextProbe == Instant(seconds: 210))
        #expect(report(.open, 220)?.since == Instant(seconds: 220))
    }

    private static let error = PostgresError(
        .refusedByServer,
        sqlState: "42P01",
        statement: "drain",
        detail: #"relation "nudged.recipient" does not exist"#
    )

    private static func finished(accepted: Bool) -> SweepEvent {
        var report = SweepReport()
        report.isAccepted = accepted
        report.isGood = accepted
        return .finished(id: UUID(), report)
    }

    @Test func failure_lastsUntilTheDatabaseAcceptsASweep() {
        let clock = PolicyClock(at: Instant(seconds: 1_800_000_000))
        let heartbeat = Heartbeat("1", clock: clock)
        #expect(heartbeat.failureText == nil)
        heartbeat.heard(.statementFailed(Self.error))
        #expect(heartbeat.failureText == #"drain fails: 42P01 relation "nudged.recipient" does not exist"#)
        heartbeat.heard(Self.finished(accepted: false))
        #expect(heartbeat.failureText != nil)
        heartbeat.heard(Self.finished(accepted: true))
        #expect(heartbeat.failureText == nil)
    }

    @Test func rate_isThatOfTheLastTenSeconds() {
        var memory = HeartbeatMemory()
        #expect(memory.perMinute(served: 100, boot: 1_000) == 0)
        #expect(memory.perMinute(served: 110, boot: 2_000) == 600)
        for second in 3...20 as ClosedRange<Int64> { _ = memory.perMinute(served: 110, boot: second * 1_000) }
        #expect(memory.perMinute(served: 110, boot: 21_000) == 0)
        #expect(memory.perMinute(served: 120, boot: 22_000) == 60)
    }
}
