/// Requests that wait for a free stream, in order of submission, and the memory of waiting and open requests.
struct RequestQueue {
    /// One request, by its place in this queue's memory.
    struct Waiting {
        let tag: UInt64
        /// Milliseconds of CLOCK_BOOTTIME. `UInt64.max`: no limit.
        let writeBy: UInt64
        /// The index of the kept batch, and the indices of its template and its text.
        let batch: Int32
        let template: Int32
        let text: Int32
    }

    private struct Kept {
        var batch: RequestBatch
        /// The number of its requests that wait or have a stream.
        var open: Int
    }

    private var kept: [Kept] = []
    private var free: [Int32] = []
    private var waiting: [Waiting] = []
    private var head = 0
    /// At most the earliest `writeBy` in the queue. Can be too early.
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
        for entry in batch.entries {
            append(
                Waiting(
                    tag: entry.tag,
                    writeBy: entry.writeBy,
                    batch: place,
                    template: entry.template,
                    text: entry.text
                )
            )
        }
    }

    mutating func append(_ requests: [Request]) { append(RequestBatch(requests)) }

    private mutating func append(_ request: Waiting) {
        if request.writeBy < earliestWriteBy { earliestWriteBy = request.writeBy }
        waiting.append(request)
    }

    /// Removes and returns the next request. Its memory is kept until `release`, which must be called exactly once for
    /// it.
    mutating func popFirst() -> Waiting? {
        guard head < waiting.count else { return nil }
        let request = waiting[head]
        head += 1
        if head == waiting.count {
            waiting.removeAll(keepingCapacity: true)
            head = 0
            earliestWriteBy = .max
        } else if head >= 1_024, head * 2 >= waiting.count {
            // A queue that is never empty must not grow without limit.
            waiting.removeFirst(head)
            head = 0
        }
        return request
    }

    /// Releases the memory of one request of a batch. The last release frees the batch.
    mutating func release(_ batch: Int32) {
        let place = Int(batch)
        kept[place].open -= 1
        guard kept[place].open == 0 else { return }
        kept[place].batch = RequestBatch()
        free.append(batch)
    }

    /// The place of a request's text. The request must not be released.
    func span(of request: Waiting) -> RequestTexts.Span {
        kept[Int(request.batch)].batch.texts.spans[Int(request.text)]
    }

    /// The template of a request. The request must not be released.
    func template(of request: Waiting) -> RequestTemplate {
        kept[Int(request.batch)].batch.templates[Int(request.template)]
    }

    /// Whether the request has this template. Counts no references.
    func isTemplate(_ template: RequestTemplate?, of request: Waiting) -> Bool {
        kept[Int(request.batch)].batch.templates[Int(request.template)] === template
    }

    /// The bytes of a batch that is not released.
    func withBytes<Result>(_ batch: Int32, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
        kept[Int(batch)].batch.texts.bytes.withUnsafeBufferPointer(body)
    }

    mutating func removeAll() -> [Waiting] {
        let all = Array(waiting[head...])
        waiting.removeAll(keepingCapacity: true)
        head = 0
        earliestWriteBy = .max
        for request in all { release(request.batch) }
        return all
    }

    /// Removes and releases the requests whose `writeBy` has passed.
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
