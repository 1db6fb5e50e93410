import HTTP2Server

/// A valid request that waits for the script's answer.
struct PendingPush {
    let push: AcceptedPush
    let streamID: Int32
    let connection: ServerConnection
}
