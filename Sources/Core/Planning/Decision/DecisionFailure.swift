/// Why the user's fallback strategy decided about a nudge instead of the decision service.
package enum DecisionFailure: Error, Sendable, Equatable {
    /// The user's limit of analyses per hour is used up.
    case overLimit
    /// The circuit breaker is open.
    case resting
    /// Too many calls are waiting.
    case busy
    /// No connection, or no trusted one.
    case unreachable
    /// No answer in time.
    case timedOut
    /// The answer broke off, was too large or was not HTTP.
    case unreadable
    /// A status other than 200.
    case status(Int)
    /// An invalid answer.
    case nonsense(DecisionNonsense)
    /// The daemon stops.
    case stopped

    /// For the record, journal and status. It holds nothing of the service's answer.
    package var text: String {
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

    /// What the failure shows about the service. nil: the service was not called.
    package var outcome: CircuitBreaker.Outcome? {
        switch self {
        case .overLimit, .resting: nil
        case .busy, .stopped: .abandoned
        case .unreachable, .timedOut, .unreadable, .status, .nonsense: .failed
        }
    }
}
