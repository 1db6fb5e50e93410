import HTTP2

/// What a server knows of one open stream. Slots are reused.
struct ServerStream {
    var streamID: Int32 = 0
    var headers = HeaderFields()
    var body: [UInt8] = []
    var reply: [UInt8] = []
    var replyOffset = 0
    /// The reply never ends.
    var isUnfinished = false
}
