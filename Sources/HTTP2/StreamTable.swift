/// The state of one open stream of a client connection. Slots are reused. A free slot has stream 0.
struct StreamSlot {
    /// The `endOffset` of a request whose END_STREAM is not in the output yet.
    static let open = UInt64.max

    var tag: UInt64 = 0
    var streamID: Int32 = 0
    /// Keeps the body, and the template whose memory nghttp2 uses.
    var submission: Submission?
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
    /// Whether `writeBy` passed between its HEADERS and the end of its body.
    var isTooLate = false
    /// Nil if the answer has neither fields nor a body.
    var content: Response.Content?

    /// Whether its END_STREAM is in the output.
    var isProduced: Bool { endOffset != StreamSlot.open }
}

/// The open streams of a client connection, in slots, in the order of their deadlines. All requests have the same time
/// limit, so this is the order of their starts, and a linked list is enough.
///
/// The slots are in unsafe memory and not in an array, and the methods are not mutating. One stream's callbacks use its
/// slot about twelve times. Each use would otherwise check for uniqueness and exclusive access. This is safe: there is
/// one owner on one thread, every index is checked, and no caller keeps a pointer to a slot.
struct StreamTable: ~Copyable {
    private struct State {
        var count = 0
        var first: Int32 = -1
        var last: Int32 = -1
        var free: Int32 = -1
        /// How many slots are initialised.
        var used = 0
    }

    private let state: UnsafeMutablePointer<State>
    private let slots: UnsafeMutablePointer<StreamSlot>
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
        state = .allocate(capacity: 1)
        state.initialize(to: State())
        slots = .allocate(capacity: capacity)
    }

    deinit {
        slots.deinitialize(count: state.pointee.used)
        slots.deallocate()
        state.deallocate()
    }

    var count: Int { state.pointee.count }
    /// The slot with the nearest deadline. -1: none.
    var first: Int32 { state.pointee.first }

    subscript(index: Int) -> StreamSlot {
        unsafeAddress { UnsafePointer(slot(index)) }
        nonmutating unsafeMutableAddress { slot(index) }
    }

    private func slot(_ index: Int) -> UnsafeMutablePointer<StreamSlot> {
        precondition(index >= 0 && index < state.pointee.used, "no such stream")
        return slots + index
    }

    /// Whether the slot is in use for this stream.
    func holds(_ index: Int, stream: Int32) -> Bool {
        index >= 0 && index < state.pointee.used && slots[index].streamID == stream
    }

    var nearestDeadline: UInt64? { first < 0 ? nil : self[Int(first)].deadline }

    /// Takes a slot. `stream` must not be 0.
    func open(stream: Int32, tag: UInt64, deadline: UInt64) -> Int {
        let index = takeFree()
        let slot = slot(Int(index))
        slot.pointee.tag = tag
        slot.pointee.streamID = stream
        slot.pointee.deadline = deadline
        let last = state.pointee.last
        slot.pointee.previous = last
        slot.pointee.next = -1
        if last >= 0 { self.slot(Int(last)).pointee.next = index } else { state.pointee.first = index }
        state.pointee.last = index
        state.pointee.count += 1
        return Int(index)
    }

    private func takeFree() -> Int32 {
        let free = state.pointee.free
        if free >= 0 {
            state.pointee.free = slot(Int(free)).pointee.next
            return free
        }
        precondition(state.pointee.used < capacity, "too many streams")
        (slots + state.pointee.used).initialize(to: StreamSlot())
        state.pointee.used += 1
        return Int32(state.pointee.used - 1)
    }

    func close(_ index: Int) {
        let slot = slot(index)
        let previous = slot.pointee.previous
        let next = slot.pointee.next
        if previous >= 0 { self.slot(Int(previous)).pointee.next = next } else { state.pointee.first = next }
        if next >= 0 { self.slot(Int(next)).pointee.previous = previous } else { state.pointee.last = previous }
        slot.pointee = StreamSlot()
        slot.pointee.next = state.pointee.free
        state.pointee.free = Int32(index)
        state.pointee.count -= 1
    }
}
