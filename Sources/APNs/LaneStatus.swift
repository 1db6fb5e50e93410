/// How a lane stands: for `STATUS=`, the journal and `nudged status`. Instants are milliseconds of CLOCK_BOOTTIME.
public enum LaneStatus: Sendable, Equatable {
    /// No connection yet or any more; the next push opens one.
    case idle
    /// At least one connection takes pushes.
    case open
    /// The first connection is being made.
    case connecting
    /// Nothing is sent until then: connections fail, or Apple answers 5xx.
    case backingOff(until: Int64, why: String)
    /// A configuration that Apple refuses; one push a minute probes whether it was mended.
    case stopped(reason: String, mend: String, nextProbe: Int64)
    /// Every connection rests after TooManyProviderTokenUpdates.
    case resting(until: Int64)
    /// Nothing new is taken any more; pushes in flight are awaited.
    case draining

    /// In words, for an operator.
    public var words: String {
        switch self {
        case .idle: "no connection to Apple needed yet"
        case .open: "connected to Apple"
        case .connecting: "connecting to Apple"
        case .backingOff(_, let why): "waiting before the next try: \(why)"
        case .stopped(let reason, let mend, _): "sending is stopped, \(Self.cause(reason)): \(mend)"
        case .resting: "resting 20 minutes, as Apple asks (TooManyProviderTokenUpdates)"
        case .draining: "stopping: waiting for the last answers"
        }
    }

    /// A reason in words: Apple's own begin with a capital, ours stand in snake case.
    public static func cause(_ reason: String) -> String {
        switch reason {
        case "unsigned_token": "no provider token can be signed"
        case "connection_lost", "connection_closed": "connections to Apple break"
        case "goaway": "Apple closes its connections"
        case "refused_stream": "Apple refuses streams"
        case "no_answer_in_time": "Apple does not answer in time"
        default: "Apple answers \(reason)"
        }
    }
}
