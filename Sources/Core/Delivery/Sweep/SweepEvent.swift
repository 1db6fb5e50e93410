package import Policy
package import Postgres
package import TimeZones

package import struct FoundationEssentials.UUID

/// What a sweep reports to the daemon.
package enum SweepEvent: Sendable {
    /// The sweep's last user is settled.
    case finished(id: UUID, SweepReport)
    /// Pushes of orphans were recorded as unknown.
    case recovered(pushes: Int)
    /// Something is wrong with a user's data.
    case noticed([Notice])
    /// This many users of a batch were not evaluated, because their zones could not be read. The error is the first
    /// user's.
    case zonesUnread(TimeZoneError, users: Int)
    /// A push was refused for good. It gets a line of its own.
    case rejected(user: UUID, deviceHash: String, reason: String, status: Int?)
    /// A device gets nothing on its lane until it registers again.
    case quarantined(RefusedDevice)
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
    /// The ranges that this daemon owns, or the number of members, have changed.
    case ownership(ranges: Int, members: Int)
    /// The membership ended: another daemon declared this one dead, or its row was deleted. It joins again.
    case membershipEnded
    /// Members whose lease had ended were declared dead. Their ranges are free.
    case membersDeclaredDead(Int)
    /// The set of paused kinds has changed.
    case paused(Set<NudgeKind>, before: Set<NudgeKind>)
    /// The sweep makes progress, so the watchdog may be notified.
    case progress
}
