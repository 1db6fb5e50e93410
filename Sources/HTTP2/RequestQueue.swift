/// Requests that wait for a free stream, in the arrays in which they came.
struct RequestQueue {
    private var batches: [[Request]] = []
    /// Which batch and which of its requests is the next.
    private var batch = 0
    private var index = 0
    private(set) var count = 0
    /// No request in it has an earlier `writeBy`; it may be earlier than all of them.
    private(set) var earliestWriteBy = UInt64.max

    var isEmpty: Bool { count == 0 }

    mutating func append(_ requests: [Request]) {
        guard !requests.isEmpty else { return }
        for request in requests {
            if let writeBy = request.writeBy, writeBy < earliestWriteBy { earliestWriteBy = writeBy }
        }
        batches.append(requests)
        count += requests.count
    }

    mutating func popFirst() -> Request? {
        guard count > 0 else { return nil }
        let request = batches[batch][index]
        count -= 1
        index += 1
        if index == batches[batch].count {
            // What is done with is let go at once, and the array of arrays now and then.
            batches[batch] = []
            batch += 1
            index = 0
        }
        if count == 0 {
            batches.removeAll(keepingCapacity: true)
            batch = 0
            earliestWriteBy = .max
        } else if batch >= 64, batch * 2 >= batches.count {
            batches.removeFirst(batch)
            batch = 0
        }
        return request
    }

    mutating func removeAll() -> [Request] {
        var all: [Request] = []
        all.reserveCapacity(count)
        while let request = popFirst() { all.append(request) }
        return all
    }

    /// Takes out those whose `writeBy` has passed.
    mutating func removeLate(boottime: UInt64) -> [Request] {
        guard earliestWriteBy <= boottime else { return [] }
        var late: [Request] = []
        var rest: [Request] = []
        while let request = popFirst() {
            if let writeBy = request.writeBy, writeBy <= boottime {
                late.append(request)
            } else {
                rest.append(request)
            }
        }
        append(rest)
        return late
    }
}
