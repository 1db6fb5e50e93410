import Base
package import Configuration
package import Policy
package import Postgres
import Synchronization
package import TimeZones

package import struct FoundationEssentials.UUID

/// A running sweep. When its last user is let go, perhaps after the next sweep has begun, `onEnd` gets its report.
final class SweepRun: Sendable {
    let id = UUID.random()
    private let startedAt = BootTime.milliseconds()
    private let totals: Monitor<SweepReport>
    private let onEnd: @Sendable (UUID, SweepReport, _ isWhole: Bool) -> Void

    private struct State {
        var report = SweepReport()
        var isWhole = false
        var hasFailed = false
        /// The sweep itself and its users in hand (`HeldUser`).
        var open = 0
    }

    private let state = Mutex(State())

    init(totals: Monitor<SweepReport>, onEnd: @escaping @Sendable (UUID, SweepReport, _ isWhole: Bool) -> Void) {
        (self.totals, self.onEnd) = (totals, onEnd)
    }

    /// Counts something, for this sweep and for the totals.
    func count(_ body: (inout SweepReport) -> Void) {
        state.withLock { body(&$0.report) }
        totals.withLock(body)
    }

    /// The sweep claimed until nobody was due or no lane took more.
    func endedWell() { state.withLock { $0.isWhole = true } }

    func failed() { state.withLock { $0.hasFailed = true } }

    func begin() { state.withLock { $0.open += 1 } }

    func end() {
        let ended = state.withLock { state -> State? in
            state.open -= 1
            return state.open == 0 ? state : nil
        }
        guard var ended else { return }
        ended.report.milliseconds = BootTime.milliseconds() - startedAt
        totals.withLock { $0.milliseconds += ended.report.milliseconds }
        onEnd(id, ended.report, ended.isWhole && !ended.hasFailed)
    }
}

package typealias EventSink = @Sendable (SweepEvent) -> Void

/// What a sweep reports to the daemon.
package enum SweepEvent: Sendable {
    /// The sweep's last user is settled.
    case finished(id: UUID, SweepReport)
    case recovered(pushes: Int)
    case noticed([Notice])
    /// So many users of a batch were not evaluated: their zones could not be read. The error is the first user's.
    case zonesUnread(TimeZoneError, users: Int)
    /// A push was refused for good. It gets a line of its own.
    case rejected(user: UUID, deviceHash: String, reason: String, status: Int?)
    /// A device gets nothing on its lane until it registers again.
    case quarantined(EnvironmentNote)
    /// A device works only in the environment that it was not registered for. Its pushes go there from now on.
    case moved(EnvironmentNote)
    /// A push was written and got no answer.
    case unknown(user: UUID, kind: String, deviceHash: String, reason: String)
    /// The database refused a drain, an intent or a settlement. The sweep is not good. It is tried again.
    case statementFailed(PostgresError)
    /// A write for single users failed, or one that no nudge waits for. It is tried again.
    case settlementFailed(error: String)
    /// A fan-out failed, because of the app's view or a lock of the app. It is left for a while.
    case fanOutFailed(PendingReminder, error: String)
    /// Outcomes could not be recorded, because the membership has ended. Another daemon records the pushes as unknown.
    case fenced(pushes: Int)
    case ownership(ranges: Int, members: Int)
    /// The membership ended: another daemon declared this one dead, or its row was deleted. It joins again.
    case membershipEnded
    case membersDeclaredDead(Int)
    case paused(Set<NudgeKind>, before: Set<NudgeKind>)
    /// The sweep makes progress, so the watchdog may be notified.
    case progress
}

package struct SweepSettings: Sendable, Equatable {
    /// Users per claim.
    package var batch: Int
    package var leaseMilliseconds: Int64
    /// How long a push waits for its answer.
    package var responseMilliseconds: Int64
    /// The most pushes with open intents.
    package var maxInFlight: Int

    package init(_ schedule: Configuration.Schedule, _ apns: Configuration.APNs) {
        batch = schedule.batch
        leaseMilliseconds = schedule.lease.milliseconds
        responseMilliseconds = apns.responseTimeout.milliseconds
        maxInFlight = apns.maxInFlight
    }

    /// The last write of a push is one response time-out and this margin before the lease's end.
    static let marginMilliseconds: Int64 = 1000
}
