/// The state of one open stream of a client connection. Slots are reused. A free slot has stream 0.
struct StreamSlot {
    /// The `endOffset` of a request whose END_STREAM is not in the output yet.
    static let open = UInt64.max

    var tag: UInt64 = 0
    var streamID: Int32 = 0
    /// The batch in `RequestQueue`. It keeps the body, and the template whose memory nghttp2 uses. -1: none.
    var batch: Int32 = -1
    /// The rest of the body, as a range of the batch's bytes.
    var bodyStart = 0
    var bodyEnd = 0
    /// The output's position after the frame with END_STREAM.
    var endOffset = StreamSlot.open
    /// Milliseconds of CLOCK_MONOTONIC.
    var deadline: UInt64 = 0
    /// Milliseconds of CLOCK_BOOTTIME. `UInt64.max`: no limit.
    var writeBy = UInt64.max
    /// The neighbours in the order of deadlines, or in the list of free slots. -1: none.
    var previous: Int32 = -1
    var next: Int32 = -1

    /// The latest `:status`. 0: none yet.
    var status: Int32 = 0
    /// Whether the header block of the final status is complete. Later fields are trailers.
    var hasHeaders = false
    /// Whether the answer's END_STREAM has come.
    var hasEnded = false
    var isTruncated = false
    /// Whether `writeBy` passed between its HEADERS and the end of its body.
    var isTooLate = false
    /// The fields and the body of the answer. Nil if it has neither.
    var answer: StreamAnswer?

    /// Whether its END_STREAM is in the output.
    var isProduced: Bool { endOffset != StreamSlot.open }
}
