/// All flights of a lane, in slots that are reused, so that steady state allocates nothing.
///
/// Pushes are neither copied nor moved. A batch is kept until its last push has a result.
struct LaneFlights: Sendable {
    private struct Handed: Sendable {
        var pushes: PushBatch
        let batch: Int
        /// One for each push without a result, and one until the caller of `keep` calls `release`.
        var open: Int
    }

    private var slots: [LaneFlight] = []
    private var free: [Int] = []
    private var serial: UInt32 = 0
    private var handed: [Handed] = []
    private var freePlaces: [Int] = []

    /// How many flights there are, waiting and in flight.
    var count: Int { slots.count - free.count }

    /// Keeps a batch and returns its index. Call `release` once, after its pushes are inserted.
    mutating func keep(_ pushes: PushBatch, batch: Int) -> Int {
        let held = Handed(pushes: pushes, batch: batch, open: 1)
        guard let place = freePlaces.popLast() else {
            handed.append(held)
            return handed.count - 1
        }
        handed[place] = held
        return place
    }

    func pushes(at place: Int) -> PushBatch { handed[place].pushes }

    /// Gives up one use of the batch. The last one frees it.
    mutating func release(_ place: Int) {
        handed[place].open -= 1
        guard handed[place].open == 0 else { return }
        handed[place].pushes = PushBatch()
        freePlaces.append(place)
    }

    /// Adds a push of a kept batch and returns its tag.
    mutating func insert(
        _ push: LaneFlight.Label,
        at place: Int,
        kind: Int32,
        text: Int32,
        isProbe: Bool,
        isTrial: Bool
    ) -> UInt64 {
        serial &+= 1
        handed[place].open += 1
        let flight = LaneFlight(
            push: push,
            batch: handed[place].batch,
            place: Int32(place),
            kind: kind,
            text: text,
            serial: serial,
            trip: LaneTrip(isProbe: isProbe, isTrial: isTrial)
        )
        let slot: Int
        if let reused = free.popLast() {
            slot = reused
            slots[slot] = flight
        } else {
            slot = slots.count
            slots.append(flight)
        }
        return UInt64(serial) << 32 | UInt64(slot)
    }

    /// The flight with this tag. Nil if it has ended.
    subscript(tag: UInt64) -> LaneFlight? {
        guard let slot = slot(of: tag) else { return nil }
        return slots[slot]
    }

    func trip(of tag: UInt64) -> LaneTrip? {
        guard let slot = slot(of: tag) else { return nil }
        return slots[slot].trip
    }

    /// Changes a trip in place.
    mutating func update(_ tag: UInt64, _ change: (inout LaneTrip) -> Void) {
        guard let slot = slot(of: tag) else { return }
        change(&slots[slot].trip)
    }

    mutating func remove(_ tag: UInt64) -> LaneFlight? {
        guard let slot = slot(of: tag) else { return nil }
        slots[slot].isOver = true
        free.append(slot)
        release(Int(slots[slot].place))
        return slots[slot]
    }

    /// The tags of the flights on a connection. Scans all slots, so use it only when a connection ends.
    func tags(on link: Int) -> [UInt64] {
        slots.indices.compactMap { slot in
            let flight = slots[slot]
            guard !flight.isOver, flight.trip.link == link else { return nil }
            return UInt64(flight.serial) << 32 | UInt64(slot)
        }
    }

    private func slot(of tag: UInt64) -> Int? {
        let slot = Int(tag & 0xFFFF_FFFF)
        guard slots.indices.contains(slot), slots[slot].serial == UInt32(tag >> 32), !slots[slot].isOver else {
            return nil
        }
        return slot
    }
}
