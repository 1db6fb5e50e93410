/// Why a nudge is decided by its user's fallback strategy and not by the decision service.
package enum DecisionFailure: Error, Sendable, Equatable {
    /// The user had as many analyses in the last hour as they allow.
    case overLimit
    /// The service counts as dead, and is left alone.
    case resting
    /// More nudges wait for it than may.
    case busy
    /// No connection, or no trusted one.
    case unreachable
    /// No answer in time.
    case timedOut
    /// The answer broke off, was too large, or no HTTP.
    case unreadable
    /// A status other than 200.
    case status(Int)
    /// An answer that is none.
    case nonsense(DecisionNonsense)
    /// The daemon stops.
    case stopped

    /// In our own words, for record, journal and status: nothing of what the service said.
    package var words: String {
        switch self {
        case .overLimit: "the user's analyses an hour are used up"
        case .resting: "the decision service is left alone for a while"
        case .busy: "too many nudges wait for the decision service"
        case .unreachable: "the decision service can't be reached"
        case .timedOut: "the decision service did not answer in time"
        case .unreadable: "the decision service's answer can't be read"
        case .status(let status): "the decision service answers with status \(status)"
        case .nonsense(let nonsense): "the decision service answers nonsense (\(nonsense))"
        case .stopped: "the daemon is stopping"
        }
    }

    /// What it says of the service. `nil`: it was not asked.
    package var outcome: CircuitBreaker.Outcome? {
        switch self {
        case .overLimit, .resting: nil
        case .busy, .stopped: .abandoned
        case .unreachable, .timedOut, .unreadable, .status, .nonsense: .failed
        }
    }
}
