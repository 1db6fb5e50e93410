package import Planning
package import Policy
package import Store
package import TimeZones

package import struct FoundationEssentials.UUID

/// What a sweep tells the daemon.
package enum SweepEvent: Sendable {
    /// A sweep's last user is settled.
    case finished(id: UUID, SweepReport)
    /// A dead daemon's pushes were recorded as unknown.
    case recovered(pushes: Int)
    /// Something is wrong with a user's data.
    case noticed([Notice])
    /// So many users of a batch were not decided, since their zones could not be read; the first one's error.
    case zonesUnread(TimeZoneError, users: Int)
    /// A push that is final without being delivered, worth a line beyond the count.
    case rejected(user: UUID, deviceHash: String, reason: String, status: Int?)
    /// A device gets nothing on its lane until it registers anew.
    case quarantined(RefusedDevice)
    /// A push that was written and never answered.
    case unknown(user: UUID, kind: String, deviceHash: String, reason: String)
    /// The database did not take a settlement; it is tried again.
    case settlementFailed(error: String)
    /// A reminder for everyone could not be gone on with: the app's view, or a lock of the app's. It is left for a while.
    case spreadFailed(PendingReminder, error: String)
    /// Outcomes that could not be recorded, since the membership had ended: another daemon records the pushes as unknown.
    case fenced(pushes: Int)
    /// How much of the work is this daemon's has changed.
    case ownership(ranges: Int, members: Int)
    /// Another daemon declared this one dead, or somebody deleted its row; it joins anew.
    case membershipEnded
    /// Daemons whose lease had ended were declared dead: their ranges are free.
    case membersBuried(Int)
    /// The kill switch was turned: these kinds are held now, and those before.
    case paused(Set<NudgeKind>, before: Set<NudgeKind>)
    /// A step of the sweep went on: the watchdog may be fed.
    case progress
}
