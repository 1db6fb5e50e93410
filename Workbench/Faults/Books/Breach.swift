/// A broken promise (docs/GUARANTEES.md).
public enum Breach: String, Sendable, CaseIterable {
    /// A due nudge that was neither accepted nor recorded as rejected, dropped, skipped or unknown.
    case lost
    /// A device got a nudge more often than promised.
    case doubled
    /// More nudges than the user's or the operator's limits allow.
    case overLimit = "over a limit"
    /// A push was accepted in the user's quiet hours.
    case quiet = "in quiet hours"
    /// A token was deleted without a 410 that allows it.
    case wronglyDeleted = "wrongly deleted"
    /// A push was recorded as unknown without a reason.
    case unknownBeyond = "unknown without reason"
    /// A push was open when its daemon was killed, but is not recorded as unknown.
    case notUnknown = "open at the kill, not unknown"
    /// A push was accepted for a user without a due nudge.
    case notDue = "not due"
    /// Apple accepted a push that the record doesn't have, or the other way round.
    case misrecorded
    /// An intent was never closed.
    case leftOpen = "intent left open"
    /// A user is still due although everything has ended.
    case leftDue = "left due"
}
