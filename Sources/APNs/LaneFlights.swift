/// All flights of a lane: slots that are used again, so that nothing is allocated in steady state.
struct LaneFlights: Sendable {
    private var slots: [LaneFlight?] = []
    private var free: [Int] = []
    private var serial: UInt32 = 0

    /// How many there are, waiting and in flight.
    var count: Int { slots.count - free.count }

    /// Takes a push up and names it.
    mutating func insert(_ push: Push, batch: Int, isProbe: Bool) -> UInt64 {
        serial &+= 1
        let flight = LaneFlight(push: push, batch: batch, serial: serial, trip: LaneTrip(isProbe: isProbe))
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

    /// The flight of this name; nil where it has ended.
    subscript(tag: UInt64) -> LaneFlight? {
        guard let slot = slot(of: tag) else { return nil }
        return slots[slot]
    }

    /// The trip of the flight of this name, without a copy of its push.
    func trip(of tag: UInt64) -> LaneTrip? {
        guard let slot = slot(of: tag) else { return nil }
        return slots[slot]?.trip
    }

    /// Changes a trip in its place.
    mutating func update(_ tag: UInt64, _ change: (inout LaneTrip) -> Void) {
        guard let slot = slot(of: tag), var trip = slots[slot]?.trip else { return }
        change(&trip)
        slots[slot]?.trip = trip
    }

    /// Ends a flight.
    mutating func remove(_ tag: UInt64) -> LaneFlight? {
        guard let slot = slot(of: tag), let flight = slots[slot].take() else { return nil }
        free.append(slot)
        return flight
    }

    /// The names of those on a connection. Linear: for a connection's end only.
    func tags(on link: Int) -> [UInt64] {
        slots.indices.compactMap { slot in
            guard let flight = slots[slot], flight.trip.link == link else { return nil }
            return UInt64(flight.serial) << 32 | UInt64(slot)
        }
    }

    private func slot(of tag: UInt64) -> Int? {
        let slot = Int(tag & 0xFFFF_FFFF)
        guard slots.indices.contains(slot), slots[slot]?.serial == UInt32(tag >> 32) else { return nil }
        return slot
    }
}
