/// Pushes that wait for a stream, in the order of their submission.
struct LaneQueue: Sendable {
    private var tags: [UInt64] = []
    private var head = 0

    /// At most the earliest `writeBy` of the waiting pushes. Can be too early after some have left.
    private(set) var earliest = Int64.max

    var count: Int { tags.count - head }
    var first: UInt64? { head < tags.count ? tags[head] : nil }

    mutating func append(_ tag: UInt64, writeBy: Int64) {
        tags.append(tag)
        earliest = min(earliest, writeBy)
    }

    mutating func removeFirst() {
        head += 1
        if head == tags.count {
            tags.removeAll(keepingCapacity: true)
            head = 0
            earliest = .max
        } else if head >= 1_024, head * 2 >= tags.count {
            // A queue that is never empty must not grow without limit.
            tags.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() -> [UInt64] {
        let all = Array(tags[head...])
        tags.removeAll(keepingCapacity: true)
        head = 0
        earliest = .max
        return all
    }
}
