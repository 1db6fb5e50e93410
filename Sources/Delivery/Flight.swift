import Planning
import APNs
import Policy
import Store
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// A slice of a lane's queue on its way: its users share one intent. Collects the outcomes user by user, so that one silent push delays nobody else.
final class Flight: Sendable {
    /// A user in it.
    struct Passenger: Sendable {
        let plan: SendPlan
        let held: HeldUser
        let places: FlightPlaces
    }

    let intent: UUID
    let member: UUID
    let lane: LaneIdentity
    let sweepID: UUID
    let attemptedAt: Instant
    /// Microseconds beyond it, so that two attempts of one second are two rows of the record.
    let fraction: Int32
    let passengers: [Passenger]
    /// The first push of each passenger; tags are places in the flight's pushes.
    private let firstTag: [Int]

    private struct State {
        var outcomes: [PushOutcome?]
        /// Pushes of each passenger that have no outcome yet.
        var missing: [Int]
        /// Passengers whose outcomes are not recorded yet.
        var open: Int
    }

    private let state: Mutex<State>

    init(
        intent: UUID,
        member: UUID,
        lane: LaneIdentity,
        sweepID: UUID,
        attemptedAt: Instant,
        fraction: Int32,
        passengers: [Passenger]
    ) {
        self.intent = intent
        self.member = member
        self.lane = lane
        self.sweepID = sweepID
        self.attemptedAt = attemptedAt
        self.fraction = fraction
        self.passengers = passengers
        var first: [Int] = []
        first.reserveCapacity(passengers.count)
        var tag = 0
        for passenger in passengers {
            first.append(tag)
            tag += passenger.plan.pushCount
        }
        firstTag = first
        state = Mutex(
            State(
                outcomes: Array(repeating: nil, count: tag),
                missing: passengers.map(\.plan.pushCount),
                open: passengers.count
            )
        )
    }

    /// A user all of whose pushes have outcomes.
    struct Arrival: Sendable {
        let passenger: Passenger
        let outcomes: [PushOutcome]
        let flight: Flight
    }

    /// Takes outcomes in, on any thread. Returns who is through now. A second outcome of a push counts for nothing.
    func take(_ results: some Sequence<PushResult>) -> [Arrival] {
        state.withLock { state in
            var arrivals: [Arrival] = []
            for result in results {
                guard let tag = Int(exactly: result.tag), state.outcomes.indices.contains(tag), state.outcomes[tag] == nil
                else { continue }
                state.outcomes[tag] = result.outcome
                let place = passenger(of: tag)
                state.missing[place] -= 1
                guard state.missing[place] == 0 else { continue }
                let tags = firstTag[place]..<firstTag[place] + passengers[place].plan.pushCount
                arrivals.append(
                    Arrival(
                        passenger: passengers[place],
                        outcomes: state.outcomes[tags].compactMap(\.self),
                        flight: self
                    )
                )
            }
            return arrivals
        }
    }

    /// All of it without a push.
    func unsent(_ reason: String) -> [Arrival] {
        let count = passengers.reduce(0) { $0 + $1.plan.pushCount }
        return take((0..<count).map { PushResult(tag: UInt64($0), outcome: .unsent(reason: reason), apnsID: nil) })
    }

    /// How many are not recorded yet.
    var open: Int { state.withLock(\.open) }

    /// The outcomes of so many are recorded.
    func settled(_ count: Int) { state.withLock { $0.open -= count } }

    /// The last whose first push is not after it.
    private func passenger(of tag: Int) -> Int {
        var (low, high) = (0, firstTag.count - 1)
        while low < high {
            let middle = (low + high + 1) / 2
            if firstTag[middle] <= tag { low = middle } else { high = middle - 1 }
        }
        return low
    }

    /// The devices of refused pushes, as the verdict on them is written.
    func devices(_ refused: [RefusedToken], at instant: Instant) -> [RefusedDevice] {
        refused.compactMap { token in
            guard let tag = Int(exactly: token.tag), !firstTag.isEmpty else { return nil }
            let place = passenger(of: tag)
            let plan = passengers[place].plan
            let targets = plan.nudges.flatMap(\.targets)
            guard targets.indices.contains(tag - firstTag[place]) else { return nil }
            let target = targets[tag - firstTag[place]]
            return RefusedDevice(
                userID: plan.userID,
                deviceHash: target.hash,
                environment: lane.environment,
                topic: lane.topic,
                registration: target.device.registration,
                at: instant,
                reason: token.reason
            )
        }
    }
}
