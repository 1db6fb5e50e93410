package import APNs
import Base
import Policy
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// Users of a lane who share one intent. Collects outcomes user by user: a push without an answer delays only its user.
/// With a user's last outcome it drops its reference to them. The intent is open while somebody refers to its flight.
final class Flight: Sendable {
    let intent = UUID.random()
    let attemptedAt: Instant
    /// Microseconds added to `attemptedAt`. They make two attempts in one second two rows of the record.
    let fraction: Int32
    private let intents: OpenIntents

    private struct State {
        /// nil: all outcomes are in.
        var users: [PlannedUser?]
        var outcomes: BatchOutcomes
        /// Users whose outcomes are not recorded yet.
        var open: Int
        var isWithdrawn = false
    }

    private let state: Mutex<State>

    init(_ users: [PlannedUser], attemptedAt: Instant, fraction: Int32, _ intents: OpenIntents) {
        (self.attemptedAt, self.fraction, self.intents) = (attemptedAt, fraction, intents)
        let outcomes = BatchOutcomes(pushCounts: users.map(\.plan.pushCount))
        state = Mutex(State(users: users, outcomes: outcomes, open: users.count))
        intents.open(intent)
    }

    deinit { intents.close(intent) }

    /// Takes outcomes, on any thread. Returns users whose last outcome came.
    func take(_ results: [PushResult]) -> [Settler.Entry] {
        state.withLock { state in
            state.outcomes.take(results).compactMap { place, outcomes in
                defer { state.users[place] = nil }
                return state.users[place].map { .sent($0, outcomes, self) }
            }
        }
    }

    /// Ends all pushes as unsent. Nothing was written, and it is unknown whether the intent was committed. Call it only
    /// before the pushes are handed to the sender: later, users may have outcomes.
    func withdraw(because reason: String) -> [Settler.Entry] {
        state.withLock { state in
            state.isWithdrawn = true
            defer { state.users = state.users.map { _ in nil } }
            return state.users.compactMap(\.self).map { user in
                .sent(user, Array(repeating: .unsent(reason: reason), count: user.plan.pushCount), self)
            }
        }
    }

    func part() { intents.part(intent) }

    var isWithdrawn: Bool { state.withLock(\.isWithdrawn) }

    var open: Int { state.withLock(\.open) }
    func settled(_ count: Int) { state.withLock { $0.open -= count } }
}

/// The outcomes of a batch, gathered user by user.
package struct BatchOutcomes: Sendable {
    /// The slot of each user's first push, and at the end the number of pushes.
    private var firstSlots = [0]
    private var outcomes: [PushOutcome?]
    private let userOfSlot: [Int]
    /// For each user, the number of pushes without an outcome.
    private var missing: [Int]

    package init(pushCounts: [Int]) {
        firstSlots.reserveCapacity(pushCounts.count + 1)
        var slots = 0
        for count in pushCounts {
            slots += count
            firstSlots.append(slots)
        }
        outcomes = Array(repeating: nil, count: slots)
        userOfSlot = pushCounts.indices.flatMap { repeatElement($0, count: pushCounts[$0]) }
        missing = pushCounts
    }

    /// Returns the users whose last outcome came. A second outcome of a push is ignored.
    package mutating func take(_ results: [PushResult]) -> [(user: Int, outcomes: [PushOutcome])] {
        var complete: [(user: Int, outcomes: [PushOutcome])] = []
        complete.reserveCapacity(results.count)
        for result in results where outcomes.indices.contains(result.slot) && outcomes[result.slot] == nil {
            let user = userOfSlot[result.slot]
            missing[user] -= 1
            outcomes[result.slot] = result.outcome
            guard missing[user] == 0 else { continue }
            complete.append((user, outcomes[firstSlots[user]..<firstSlots[user + 1]].map { $0 ?? result.outcome }))
        }
        return complete
    }
}

/// Limits the pushes with open intents to `apns.maxInFlight` in all. `FlightBudget` divides them among the lanes.
final class FlightRoom: Sendable {
    /// The open pushes of each lane. There are few lanes, so a search is cheaper than hashing.
    private typealias Open = [(lane: LaneIdentity, count: Int)]
    private let open = Monitor<Open>([])

    var openPushes: Int { open.withLock { $0.reduce(0) { $0 + $1.count } } }

    func free(_ lane: LaneIdentity, _ budget: FlightBudget) -> Int { open.withLock { Self.free(lane, budget, $0) } }

    func wait(_ lane: LaneIdentity, _ budget: FlightBudget, atMost milliseconds: Int64) async {
        await open.wait(atMost: milliseconds) { Self.free(lane, budget, $0) > 0 }
    }

    /// Reserves room for up to `count` pushes in one step, since lanes share it. Returns the number reserved.
    func reserve(upTo count: Int, for lane: LaneIdentity, _ budget: FlightBudget) -> Int {
        open.withLock { open in
            let taken = min(count, Self.free(lane, budget, open))
            if taken > 0 { Self.add(taken, lane, &open) }
            return max(0, taken)
        }
    }

    func giveBack(_ count: Int, _ lane: LaneIdentity) {
        open.withLock { Self.add(-count, lane, &$0) }
    }

    private static func add(_ count: Int, _ lane: LaneIdentity, _ open: inout Open) {
        let place = open.firstIndex { $0.lane == lane } ?? open.count
        if place == open.count { open.append((lane, 0)) }
        open[place].count += count
        // A lane may have left the configuration.
        if open[place].count <= 0 { open.remove(at: place) }
    }

    private static func free(_ lane: LaneIdentity, _ budget: FlightBudget, _ open: Open) -> Int {
        let own = open.first { $0.lane == lane }?.count ?? 0
        return budget.room(own: own, others: open.lazy.filter { $0.lane != lane }.map(\.count))
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

/// Divides the pushes in flight among the lanes: at most `total`, and never all of them for a lane that hangs. Half of
/// `total` is reserved in equal parts, one per lane. The rest is free for any lane. A single lane has all.
package struct FlightBudget: Sendable {
    package let total: Int
    package let lanes: Int

    package init(total: Int, lanes: Int) { (self.total, self.lanes) = (total, lanes) }

    /// How many more pushes a lane may have, beside its `own` and those of each other lane. Idle lanes may be left out.
    package func room(own: Int, others: some Sequence<Int>) -> Int {
        let reserved = lanes > 1 ? total / (2 * lanes) : 0
        var (taken, idle) = (0, lanes - 1)
        for other in others { (taken, idle) = (taken + max(other, reserved), idle - 1) }
        return max(0, total - taken - max(0, idle) * reserved - own)
    }
}
