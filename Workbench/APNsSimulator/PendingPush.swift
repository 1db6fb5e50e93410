import HTTP2Server

/// A good request that awaits what the script says of it.
struct PendingPush {
    let push: AcceptedPush
    let streamID: Int32
    let connection: ServerConnection
}
