import HTTP2

/// One open stream on the server's side. Slots are reused.
struct ServerStream {
    var streamID: Int32 = 0
    var headers = HeaderFields()
    var body: [UInt8] = []
    var reply: [UInt8] = []
    var replyOffset = 0
    /// Whether the reply never ends.
    var isUnfinished = false
}
