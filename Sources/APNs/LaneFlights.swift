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
        let flight = LaneFlight(push: push, batch: batch, isProbe: isProbe, serial: serial)
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

    /// Changes a flight in its place.
    mutating func update(_ tag: UInt64, _ change: (inout LaneFlight) -> Void) {
        guard let slot = slot(of: tag) else { return }
        // The optional is changed through its own storage: taking the flight out would copy it.
        if slots[slot] != nil { change(&slots[slot]!) }  // Proven by the line's own condition.
    }

    /// Ends a flight.
    mutating func remove(_ tag: UInt64) -> LaneFlight? {
        guard let slot = slot(of: tag), let flight = slots[slot] else { return nil }
        slots[slot] = nil
        free.append(slot)
        return flight
    }

    /// The names of those on a connection. Linear: for a connection's end only.
    func tags(on link: Int) -> [UInt64] {
        slots.indices.compactMap { slot in
            guard let flight = slots[slot], flight.link == link else { return nil }
            return UInt64(flight.serial) << 32 | UInt64(slot)
        }
    }

    private func slot(of tag: UInt64) -> Int? {
        let slot = Int(tag & 0xFFFF_FFFF)
        guard slots.indices.contains(slot), slots[slot]?.serial == UInt32(tag >> 32) else { return nil }
        return slot
    }
}
