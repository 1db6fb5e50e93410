internal import HTTP2

/// What happens to a lane. Connections are known by their numbers.
enum LaneEvent: Sendable {
    /// The daemon hands pushes over; `batch` says whose they are.
    case send(PushBatch, batch: Int)
    /// A connection's first SETTINGS came.
    case opened(Int, streams: Int)
    /// SETTINGS changed.
    case capacity(Int, streams: Int)
    /// Requests ended.
    case completions(Int, [Completion])
    /// A connection did not take these, since it is closed: nothing of them was written.
    case notTaken(Int, tags: [UInt64])
    /// The token for these could not be signed: nothing of them was written.
    case unsigned(Int, tags: [UInt64], why: String)
    /// GOAWAY.
    case goAway(Int, reason: String)
    /// A connection is no more (or never was); all that it took has completed.
    case closed(Int, why: String)
    /// An instant of `nextWake` came.
    case tick
    /// Nothing more will be sent for now: judge the refused tokens by what has come.
    case concludeWindow
    /// New limits, and nothing else.
    case limitsChanged(LaneLimits)
    /// New limits, and everything that follows from the configuration.
    case reconfigured(LaneLimits)
    /// Take nothing more, await what is in flight.
    case drain
    /// Await no longer.
    case cutOff
}
