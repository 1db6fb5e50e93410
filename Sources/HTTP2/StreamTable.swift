/// The open streams of a client connection: slots in one array, and in the order of their deadlines.
///
/// All requests of a connection have the same time to go, so the order of their beginnings is the order of their deadlines
/// and a linked list does what a heap or wheel would.
struct StreamTable {
    private(set) var count = 0
    /// The slot with the nearest deadline; -1: none.
    private(set) var first: Int32 = -1
    private var last: Int32 = -1
    private var free: Int32 = -1
    private var slots: [StreamSlot] = []

    subscript(index: Int) -> StreamSlot {
        _read { yield slots[index] }
        _modify { yield &slots[index] }
    }

    /// Whether the slot is in use, for this stream.
    func holds(_ index: Int, stream: Int32) -> Bool {
        slots.indices.contains(index) && slots[index].streamID == stream
    }

    var nearestDeadline: UInt64? { first < 0 ? nil : slots[Int(first)].deadline }

    /// Takes a slot; `stream` is not 0.
    mutating func open(stream: Int32, request: Request, deadline: UInt64) -> Int {
        let index: Int32
        if free >= 0 {
            index = free
            free = slots[Int(index)].next
        } else {
            index = Int32(slots.count)
            slots.append(StreamSlot())
        }
        count += 1
        let position = Int(index)
        slots[position].tag = request.tag
        slots[position].streamID = stream
        slots[position].template = request.template
        slots[position].body = request.body
        slots[position].deadline = deadline
        slots[position].writeBy = request.writeBy ?? .max
        slots[position].previous = last
        slots[position].next = -1
        if last >= 0 { slots[Int(last)].next = index } else { first = index }
        last = index
        return position
    }

    /// Gives a slot back.
    mutating func close(_ index: Int) {
        let previous = slots[index].previous
        let next = slots[index].next
        if previous >= 0 { slots[Int(previous)].next = next } else { first = next }
        if next >= 0 { slots[Int(next)].previous = previous } else { last = previous }
        slots[index] = StreamSlot()
        slots[index].next = free
        free = Int32(index)
        count -= 1
    }
}
