import APNs
import Policy
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// A slice of a lane's queue whose users share one intent. Collects the outcomes user by user, so that one push without
/// an answer delays only its own user.
///
/// With a user's last outcome the flight drops its reference to them, so it keeps no settled user in hand.
final class Flight: Sendable {
    struct Passenger: Sendable {
        let plan: SendPlan
        let held: HeldUser
        let places: FlightPlaces
    }

    /// A user whose pushes all have outcomes.
    struct Arrival: Sendable {
        let passenger: Passenger
        let outcomes: [PushOutcome]
        let flight: Flight
    }

    var intent: UUID { ticket.id }
    private let ticket: OpenIntent
    let attemptedAt: Instant
    /// Microseconds added to `attemptedAt`. They make two attempts in one second two rows of the record.
    let fraction: Int32
    /// The tag of each passenger's first push, and at the end the number of pushes. A tag is an index into the flight's
    /// pushes.
    private let firstTag: [Int]

    private struct State {
        /// nil: all outcomes are in.
        var passengers: [Passenger?]
        var outcomes: [PushOutcome?]
        /// For each passenger, the number of pushes without an outcome.
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

    /// Takes outcomes, on any thread. Returns users whose last outcome came. A second outcome of a push is ignored.
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

    /// Ends all pushes of the flight as unsent.
    func unsent(_ reason: String) -> [Arrival] {
        take(
            (0..<(firstTag.last ?? 0)).map {
                PushResult(tag: UInt64($0), outcome: .unsent(reason: reason), apnsID: nil)
            }
        )
    }

    /// Called before its first users are settled.
    func part() { ticket.part() }

    /// Users whose outcomes are not recorded yet.
    var open: Int { state.withLock(\.open) }

    /// The outcomes of this many users were recorded.
    func settled(_ count: Int) { state.withLock { $0.open -= count } }

    /// Binary search: the last passenger whose first push has this tag or a smaller one.
    private func passenger(of tag: Int) -> Int {
        var (low, high) = (0, firstTag.count - 2)
        while low < high {
            let middle = (low + high + 1) / 2
            if firstTag[middle] <= tag { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
