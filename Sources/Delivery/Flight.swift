import APNs
import Planning
import Policy
import Store
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// A slice of a lane's queue on its way: its users share one intent. Collects the outcomes user by user, so that one silent push delays nobody else.
///
/// A user leaves it with the last outcome: it keeps nobody in hand who is through.
final class Flight: Sendable {
    /// A user in it.
    struct Passenger: Sendable {
        let plan: SendPlan
        let held: HeldUser
        let places: FlightPlaces
    }

    /// A user all of whose pushes have outcomes.
    struct Arrival: Sendable {
        let passenger: Passenger
        let outcomes: [PushOutcome]
        let flight: Flight
    }

    var intent: UUID { ticket.id }
    private let ticket: OpenIntent
    let attemptedAt: Instant
    /// Microseconds beyond it, so that two attempts of one second are two rows of the record.
    let fraction: Int32
    /// The first push of each passenger; tags are places in the flight's pushes. One more at the end: how many there are.
    private let firstTag: [Int]

    private struct State {
        /// nil: through.
        var passengers: [Passenger?]
        var outcomes: [PushOutcome?]
        /// Pushes of each passenger that have no outcome yet.
        var missing: [Int]
        /// Passengers whose outcomes are not recorded yet.
        var open: Int
    }

    private let state: Mutex<State>

    init(_ ticket: OpenIntent, attemptedAt: Instant, fraction: Int32, passengers: [Passenger]) {
        self.ticket = ticket
        self.attemptedAt = attemptedAt
        self.fraction = fraction
        var first = [0]
        first.reserveCapacity(passengers.count + 1)
        for passenger in passengers { first.append((first.last ?? 0) + passenger.plan.pushCount) }
        firstTag = first
        state = Mutex(
            State(
                passengers: passengers,
                outcomes: Array(repeating: nil, count: first.last ?? 0),
                missing: passengers.map(\.plan.pushCount),
                open: passengers.count
            )
        )
    }

    /// Takes outcomes in, on any thread. Returns who is through now. A second outcome of a push counts for nothing.
    func take(_ results: some Sequence<PushResult>) -> [Arrival] {
        state.withLock { state in
            var arrivals: [Arrival] = []
            for result in results {
                guard let tag = Int(exactly: result.tag), state.outcomes.indices.contains(tag),
                    state.outcomes[tag] == nil
                else { continue }
                state.outcomes[tag] = result.outcome
                let place = passenger(of: tag)
                state.missing[place] -= 1
                guard state.missing[place] == 0, let passenger = state.passengers[place] else { continue }
                state.passengers[place] = nil
                let outcomes = state.outcomes[firstTag[place]..<firstTag[place + 1]].compactMap(\.self)
                arrivals.append(Arrival(passenger: passenger, outcomes: outcomes, flight: self))
            }
            return arrivals
        }
    }

    /// All of it without a push.
    func unsent(_ reason: String) -> [Arrival] {
        take(
            (0..<(firstTag.last ?? 0)).map {
                PushResult(tag: UInt64($0), outcome: .unsent(reason: reason), apnsID: nil)
            }
        )
    }

    /// How many are not recorded yet.
    var open: Int { state.withLock(\.open) }

    /// The outcomes of so many are recorded.
    func settled(_ count: Int) { state.withLock { $0.open -= count } }

    /// The last whose first push is not after it.
    private func passenger(of tag: Int) -> Int {
        var (low, high) = (0, firstTag.count - 2)
        while low < high {
            let middle = (low + high + 1) / 2
            if firstTag[middle] <= tag { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
