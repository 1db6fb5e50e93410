/// A promise that the sender broke.
public enum Violation: String, Sendable, CaseIterable {
    /// A push has no outcome.
    case lost
    /// A push has two outcomes, or an outcome without having been sent.
    case resultTwice = "result_twice"
    /// The sender says that Apple accepted it, but Apple's log does not have it.
    case acceptedNotLogged = "accepted_not_logged"
    /// Apple's log has it, but the outcome is neither accepted nor unknown.
    case loggedNotAccepted = "logged_not_accepted"
    /// Apple accepted it twice.
    case loggedTwice = "logged_twice"
    /// The outcome's status differs from Apple's last answer to this push.
    case wrongStatus = "wrong_status"
    /// Apple got a push under an `apns-id` that was not sent, or not lately.
    case stranger
    /// Memory or descriptors grew.
    case growth
    /// `drain` did not return.
    case hung
}
