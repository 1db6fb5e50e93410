package import TimeZones

/// The state of the work, as `nudged status` reads it. No count goes beyond `most` or `mostDue`.
package struct WorkStatus: Sendable, Equatable {
    /// Where counting ends.
    package static let most = 10_000
    /// Where counting due users ends. A backlog's estimated end needs more than `most`.
    package static let mostDue = 100_000

    /// The database's clock.
    package var now: Instant
    package var dueUsers: Int
    /// Since when the first of them is due.
    package var firstDue: Instant?
    /// Touches that no sweep has drained.
    package var touches: Int
    /// Intents that are being sent, or whose daemon has died.
    package var openIntents: Int
    /// The pushes of open intents.
    package var openPushes: Int
    /// Unknown pushes of the last 24 hours.
    package var unknownPushes: Int
    /// How many of the 64 ranges have no owner.
    package var freeRanges: Int = 0
    /// Fan-outs that are late; nil: none.
    package var fanOuts: WaitingFanOuts?
    /// Kinds that are paused or still being resumed.
    package var pauses: [Pause] = []
    /// Daemons that were seen within a day, the longest running first.
    package var daemons: [DaemonRow]
    /// Views and triggers of nudged that are missing, disabled or bound to the wrong table.
    package var bindingFaults: [BindingFault] = []
}
