/// Requests that wait for a free stream, first come first served, and the memory of those that have one.
struct RequestQueue {
    /// One request, by its place in this queue's memory.
    struct Waiting {
        let tag: UInt64
        /// CLOCK_BOOTTIME milliseconds; `UInt64.max`: no limit.
        let writeBy: UInt64
        /// Which of the batches that are kept, and which of its requests.
        let batch: Int32
        let index: Int32
    }

    private struct Kept {
        var batch: RequestBatch
        /// Its requests that wait or have a stream.
        var open: Int
    }

    private var kept: [Kept] = []
    private var free: [Int32] = []
    private var waiting: [Waiting] = []
    private var head = 0
    /// No request in it has an earlier `writeBy`; it may be earlier than all of them.
    private(set) var earliestWriteBy = UInt64.max

    var count: Int { waiting.count - head }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ batch: RequestBatch) {
        guard batch.count > 0 else { return }
        let place = free.popLast() ?? Int32(kept.count)
        if Int(place) == kept.count {
            kept.append(Kept(batch: batch, open: batch.count))
        } else {
            kept[Int(place)] = Kept(batch: batch, open: batch.count)
        }
        for (index, entry) in batch.entries.enumerated() {
            append(Waiting(tag: entry.tag, writeBy: entry.writeBy, batch: place, index: Int32(index)))
        }
    }

    mutating func append(_ requests: [Request]) { append(RequestBatch(requests)) }

    private mutating func append(_ request: Waiting) {
        if request.writeBy < earliestWriteBy { earliestWriteBy = request.writeBy }
        waiting.append(request)
    }

    /// Takes the next one out. Its memory is kept until `release`, exactly once for each.
    mutating func popFirst() -> Waiting? {
        guard head < waiting.count else { return nil }
        let request = waiting[head]
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
            earliestWriteBy = .max
        } else if head >= 1_024, head * 2 >= waiting.count {
            // A queue that is never empty must not grow for ever.
            waiting.removeFirst(head)
            head = 0
        }
        return request
    }

    /// Lets the memory of one request of a batch go; a batch goes with its last.
    mutating func release(_ batch: Int32) {
        let place = Int(batch)
        kept[place].open -= 1
        guard kept[place].open == 0 else { return }
        kept[place].batch = RequestBatch()
        free.append(batch)
    }

    /// Where a request lies whose memory was not released.
    func entry(of request: Waiting) -> RequestBatch.Entry {
        kept[Int(request.batch)].batch.entries[Int(request.index)]
    }

    /// The template of a request whose memory was not released.
    func template(of request: Waiting, _ entry: RequestBatch.Entry) -> RequestTemplate {
        kept[Int(request.batch)].batch.templates[entry.template]
    }

    /// Whether its template is this one, without a count of references.
    func isTemplate(_ template: RequestTemplate?, of request: Waiting, _ entry: RequestBatch.Entry) -> Bool {
        kept[Int(request.batch)].batch.templates[entry.template] === template
    }

    /// The bytes of a batch that was not released.
    func withBytes<Result>(_ batch: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        kept[Int(batch)].batch.bytes.withUnsafeBufferPointer(body)
    }

    /// Takes all out and lets their memory go.
    mutating func removeAll() -> [Waiting] {
        let all = Array(waiting[head...])
        waiting.removeAll(keepingCapacity: true)
        head = 0
        earliestWriteBy = .max
        for request in all { release(request.batch) }
        return all
    }

    /// Takes out those whose `writeBy` has passed, and lets their memory go.
    mutating func removeLate(boottime: UInt64) -> [Waiting] {
        guard earliestWriteBy <= boottime else { return [] }
        let all = Array(waiting[head...])
        waiting.removeAll(keepingCapacity: true)
        head = 0
        earliestWriteBy = .max
        var late: [Waiting] = []
        for request in all {
            if request.writeBy <= boottime {
                late.append(request)
                release(request.batch)
            } else {
                append(request)
            }
        }
        return late
    }
}
