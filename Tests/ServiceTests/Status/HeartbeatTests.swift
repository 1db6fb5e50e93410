import Postgres
import Testing
import TimeZones

@testable import Core
@testable import Service

import struct FoundationEssentials.UUID

@Suite struct HeartbeatTests {
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
        let clock = PolicyClock.simulated(at: Instant(seconds: 1_800_000_000))
        let heartbeat = Heartbeat(DaemonIdentity(version: "1"), clock: clock)
        #expect(heartbeat.failureText == nil)
        heartbeat.heard(.statementFailed(Self.error))
        #expect(heartbeat.failureText == #"drain fails: 42P01 relation "nudged.recipient" does not exist"#)
        heartbeat.heard(Self.finished(accepted: false))
        #expect(heartbeat.failureText != nil)
        heartbeat.heard(Self.finished(accepted: true))
        #expect(heartbeat.failureText == nil)
    }

    @Test func rate_isThatOfTheLastTenSeconds() {
        var rate = ServeRate()
        #expect(rate.perMinute(served: 100, now: 1_000) == 0)
        #expect(rate.perMinute(served: 110, now: 2_000) == 600)
        for second in 3...20 as ClosedRange<Int64> { _ = rate.perMinute(served: 110, now: second * 1_000) }
        #expect(rate.perMinute(served: 110, now: 21_000) == 0)
        #expect(rate.perMinute(served: 120, now: 22_000) == 60)
    }
}
