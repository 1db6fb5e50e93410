/// Where a push is and how it got there. It holds no references, so a copy per push costs nothing.
struct LaneTrip: Sendable {
    /// The connection that has it. Nil while it waits.
    var link: Int?
    /// The number of the provider token of the last attempt.
    var token = 0
    /// The round of `AdaptiveLimit` of the last attempt.
    var round: UInt32 = 0
    var resends: UInt8 = 0
    /// Whether it checks whether a stopped lane works again.
    var isProbe = false
    fileprivate var isOver = false
}

/// All batches of a lane that have a push without an outcome, with the trips of their pushes.
///
/// A push's tag in its lane and on a connection: the place of its batch here in the upper half, its slot in the lower.
/// Places are reused. That is safe: connections' numbers are not, and only the push's own connection can answer it.
struct LaneBatches: Sendable {
    private struct Batch: Sendable {
        var pushes: PushBatch
        var receiver: PushReceiver?
        var trips: [LaneTrip]
        /// Pushes without an outcome.
        var open: Int
    }

    private var batches: [Batch] = []
    private var free: [Int] = []

    private static func place(_ tag: UInt64) -> Int { Int(tag >> 32) }
    static func slot(_ tag: UInt64) -> Int { Int(tag & 0xFFFF_FFFF) }

    /// Keeps a batch until its last push has an outcome. Returns the tags of its pushes.
    mutating func keep(_ pushes: PushBatch, for receiver: PushReceiver) -> Range<UInt64> {
        let trips = [LaneTrip](repeating: LaneTrip(), count: pushes.count)
        let batch = Batch(pushes: pushes, receiver: receiver, trips: trips, open: pushes.count)
        let place = free.popLast() ?? batches.count
        if place == batches.count { batches.append(batch) } else { batches[place] = batch }
        let first = UInt64(place) << 32
        return first..<first + UInt64(pushes.count)
    }

    var isEmpty: Bool { free.count == batches.count }

    /// The trip of a push. Nil if it has its outcome.
    subscript(tag: UInt64) -> LaneTrip? {
        let (place, slot) = (Self.place(tag), Self.slot(tag))
        guard place < batches.count, slot < batches[place].trips.count else { return nil }
        let trip = batches[place].trips[slot]
        return trip.isOver ? nil : trip
    }

    mutating func update(_ tag: UInt64, _ change: (inout LaneTrip) -> Void) {
        change(&batches[Self.place(tag)].trips[Self.slot(tag)])
    }

    func pushes(of tag: UInt64) -> PushBatch { batches[Self.place(tag)].pushes }
    func receiver(of tag: UInt64) -> PushReceiver? { batches[Self.place(tag)].receiver }
    func label(of tag: UInt64) -> PushBatch.Label { batches[Self.place(tag)].pushes.labels[Self.slot(tag)] }
    func writeBy(of tag: UInt64) -> Int64 { batches[Self.place(tag)].pushes.writeBy(Self.slot(tag)) }

    mutating func end(_ tag: UInt64) {
        let place = Self.place(tag)
        batches[place].trips[Self.slot(tag)].isOver = true
        batches[place].open -= 1
        guard batches[place].open == 0 else { return }
        batches[place] = Batch(pushes: PushBatch(topic: ""), receiver: nil, trips: [], open: 0)
        free.append(place)
    }

    /// The pushes on a connection. Scans all trips, so use it only when a connection ends.
    func tags(on link: Int) -> [UInt64] {
        batches.enumerated().flatMap { place, batch in
            batch.trips.enumerated().compactMap { slot, trip in
                trip.link == link && !trip.isOver ? UInt64(place) << 32 | UInt64(slot) : nil
            }
        }
    }
}
