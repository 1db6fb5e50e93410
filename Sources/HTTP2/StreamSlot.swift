/// What a client connection knows of one open stream. Slots are reused; a free one has stream 0.
struct StreamSlot {
    /// `endOffset` of a request whose END_STREAM was not yet put into the output.
    static let open = UInt64.max

    var tag: UInt64 = 0
    var streamID: Int32 = 0
    /// The batch in `RequestQueue` that keeps the memory that nghttp2 was promised not to be copied, and the body; -1: none.
    var batch: Int32 = -1
    /// What is left of the body, in the batch's bytes.
    var bodyStart = 0
    var bodyEnd = 0
    /// The output's position after the frame with END_STREAM.
    var endOffset = StreamSlot.open
    /// CLOCK_MONOTONIC milliseconds.
    var deadline: UInt64 = 0
    /// CLOCK_BOOTTIME milliseconds; `UInt64.max`: no limit.
    var writeBy = UInt64.max
    /// Neighbours in the order of deadlines, or in the list of free slots; -1: none.
    var previous: Int32 = -1
    var next: Int32 = -1

    /// The newest `:status`; 0: none yet.
    var status: Int32 = 0
    /// Whether the final status's header block is whole; what follows are trailers.
    var hasHeaders = false
    /// Whether the answer's END_STREAM came.
    var hasEnded = false
    var isTruncated = false
    /// `writeBy` passed between its HEADERS and its body's end.
    var isTooLate = false
    /// The fields and the body of the answer; nil: neither.
    var answer: StreamAnswer?

    /// Whether its END_STREAM was put into the output.
    var isProduced: Bool { endOffset != StreamSlot.open }
}
