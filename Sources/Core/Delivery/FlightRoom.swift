/// Limits the pushes with open intents to `apns.maxInFlight` in all. `FlightBudget` divides them among the lanes.
final class FlightRoom: Sendable {
    private let open = Monitor<[LaneIdentity: Int]>([:])

    var openPushes: Int { open.withLock { $0.values.reduce(0, +) } }

    func free(_ lane: LaneIdentity, _ budget: FlightBudget) -> Int { open.withLock { Self.free(lane, budget, $0) } }

    /// Waits until a lane has room for at least one push.
    func wait(_ lane: LaneIdentity, _ budget: FlightBudget, atMost milliseconds: Int64) async {
        await open.wait(atMost: milliseconds) { Self.free(lane, budget, $0) > 0 }
    }

    /// Reserves room for up to `count` pushes in one step, since lanes share it. Returns the number reserved.
    func reserve(upTo count: Int, for lane: LaneIdentity, _ budget: FlightBudget) -> Int {
        open.withLock { open in
            let taken = min(count, Self.free(lane, budget, open))
            if taken > 0 { open[lane, default: 0] += taken }
            return max(0, taken)
        }
    }

    func giveBack(_ count: Int, _ lane: LaneIdentity) {
        open.withLock { open in
            let left = (open[lane] ?? 0) - count
            open[lane] = left > 0 ? left : nil
        }
    }

    private static func free(_ lane: LaneIdentity, _ budget: FlightBudget, _ open: [LaneIdentity: Int]) -> Int {
        budget.room(own: open[lane] ?? 0, others: open.filter { $0.key != lane }.map(\.value))
    }
}

/// The part of a reservation for one user's pushes. Its last reference gives it back, after the outcomes are recorded.
final class FlightPlaces: Sendable {
    private let count: Int
    private let lane: LaneIdentity
    private let room: FlightRoom

    init(_ count: Int, _ lane: LaneIdentity, _ room: FlightRoom) {
        (self.count, self.lane, self.room) = (count, lane, room)
    }

    deinit { room.giveBack(count, lane) }
}

/// Divides the pushes in flight among the lanes: never more than `total` in all, and never all of them for a lane that
/// hangs.
///
/// Half of `total` is reserved in equal parts, one per lane. The other half is free for any lane. A single lane has
/// everything.
package struct FlightBudget: Sendable {
    package let total: Int
    package let lanes: Int

    package init(total: Int, lanes: Int) { (self.total, self.lanes) = (total, lanes) }

    /// How many more pushes a lane may have in flight. `own`: how many it has. `others`: how many each other lane has.
    /// Idle lanes may be left out.
    package func room(own: Int, others: [Int]) -> Int {
        let reserved = lanes > 1 ? total / (2 * lanes) : 0
        let taken = others.reduce(0) { $0 + max($1, reserved) } + (max(0, lanes - 1 - others.count)) * reserved
        return max(0, total - taken - own)
    }
}
