/// A promise of the sender's that was seen broken.
public enum Violation: String, Sendable, CaseIterable {
    /// A push has no outcome.
    case lost
    /// A push has two outcomes, or one without having been sent.
    case resultTwice = "result_twice"
    /// The sender says that Apple took it, Apple's log does not.
    case acceptedNotLogged = "accepted_not_logged"
    /// Apple's log has it; the sender says neither that it was taken nor that it can't know.
    case loggedNotAccepted = "logged_not_accepted"
    /// Apple took it twice, and never said that it had not.
    case loggedTwice = "logged_twice"
    /// The outcome names a status that Apple's last answer to this push was not.
    case wrongStatus = "wrong_status"
    /// The outcome names another `apns-id`, or an accepted one none.
    case wrongID = "wrong_id"
    /// Apple's log has a push that nobody sent, or one of long ago.
    case stranger
    /// Memory or descriptors grew.
    case growth
    /// `drain` did not return.
    case hung
}
