internal import HTTP2

/// What happens to a lane. Connections are identified by their numbers.
enum LaneEvent: Sendable {
    /// The daemon submits pushes. `batch` says which batch they belong to.
    case send(PushBatch, batch: Int)
    /// A connection received its first SETTINGS.
    case opened(Int, streams: Int)
    case capacity(Int, streams: Int)
    case completions(Int, [Completion])
    /// A connection refused these pushes because it is closed. None of them was written.
    case notTaken(Int, tags: [UInt64])
    /// The token for these pushes could not be signed. None of them was written.
    case unsigned(Int, tags: [UInt64], why: String)
    case goAway(Int, reason: String)
    /// A connection ended, or was never made. Everything that it accepted has completed. `wasFlooded`: the server sent
    /// too many frames that answered no push.
    case closed(Int, why: String, wasFlooded: Bool = false)
    /// The instant of `nextWake` has come.
    case tick
    /// Nothing more is sent for now: decide about the refused tokens with the answers so far.
    case concludeWindow
    /// Only limits or time-outs changed.
    case limitsChanged(LaneLimits)
    /// Everything that depends on the configuration may have changed.
    case reconfigured(LaneLimits)
    /// Accept nothing more and wait for what is in flight.
    case drain
    /// Stop waiting.
    case cutOff
}
