/// A promise that can be broken (docs/GUARANTEES.md).
public enum Breach: String, Sendable, CaseIterable {
    /// Due, and neither accepted nor recorded as rejected, dropped, skipped or unknown.
    case lost
    /// One nudge twice on one device.
    case doubled
    /// More than the user's or the operator's caps allow.
    case overLimit = "over a limit"
    /// Accepted while the user's wall clock shows quiet hours.
    case quiet = "in quiet hours"
    /// A token that is gone without a 410 that says so.
    case wronglyDeleted = "wrongly deleted"
    /// Recorded as unknown without any reason to be.
    case unknownBeyond = "unknown without reason"
    /// Open when its daemon was killed, and not recorded as unknown.
    case notUnknown = "open at the kill, not unknown"
    /// Accepted for somebody to whom nothing was due.
    case notDue = "not due"
    /// Apple took it, and the record does not say so; or the other way round.
    case misrecorded
    /// An intent that nobody closed.
    case leftOpen = "intent left open"
    /// A user who is still due though everything has ended.
    case leftDue = "left due"
}
