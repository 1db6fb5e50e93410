/// A lane's status for `STATUS=`, the journal and `nudged status`. Instants are milliseconds of CLOCK_BOOTTIME.
package enum LaneStatus: Sendable, Equatable {
    /// No connection. The next push opens one.
    case idle
    /// At least one connection accepts pushes.
    case open
    /// A connection is being made, and none is open.
    case connecting
    /// Nothing is sent until then: connections fail, or Apple answers with errors.
    case backingOff(until: Int64, why: String)
    /// Apple refuses the configuration. One push a minute probes whether it works again.
    case stopped(reason: String, remedy: String, nextProbe: Int64)
    case resting(until: Int64)
    /// No new pushes are accepted. The lane waits for those in flight.
    case draining

    /// The status as text for an operator.
    package var text: String {
        switch self {
        case .idle: "no connection to the push service needed yet"
        case .open: "connected to the push service"
        case .connecting: "connecting to the push service"
        case .backingOff(_, let why): "waiting before the next try: \(why)"
        case .stopped(let reason, let remedy, _): "sending is stopped, \(Self.cause(reason)): \(remedy)"
        case .resting: "sending nothing for 20 minutes (Apple answers TooManyProviderTokenUpdates)"
        case .draining: "stopping: waiting for the last answers"
        }
    }

    /// A reason as text. Apple's reasons begin with a capital letter, nudged's are in snake case.
    package static func cause(_ reason: String) -> String {
        switch reason {
        case "unsigned_token": "no provider token can be signed"
        case "connection_lost", "connection_closed": "connections break"
        case "goaway": "the server closes its connections"
        case "refused_stream": "Apple refuses streams"
        case "no_answer_in_time": "Apple does not answer in time"
        default: "Apple answers \(reason)"
        }
    }
}
