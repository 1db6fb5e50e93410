import Seeded

import struct FoundationEssentials.UUID

/// One user of the demo. The demo knows their preferences because it made them; it never reads them back.
struct DemoPerson: Sendable, Equatable {
    struct Change: Sendable, Equatable {
        let minute: Int
        let preferences: String
        let night: Night
    }

    let userID: UUID
    /// The column `notification_preferences`; nil for null.
    let preferences: String?
    let timezone: String?
    let firstSessionComplete: Bool
    let devices: [DemoDevice]
    /// The zone that applies; nil if neither name is valid.
    let zone: String?
    let night: Night
    /// Whether check-ins are possible at the day's start, apart from their devices.
    let isServed: Bool
    let change: Change?
    var order: DemoOrder?

    var tokens: [String] { devices.map(\.token) + (order.map { [$0.startToken, $0.activityToken] } ?? []) }

    func night(at minute: Int) -> Night { if let change, minute >= change.minute { change.night } else { night } }
}

struct DemoDevice: Sendable, Equatable {
    enum Answer: Sendable, Equatable {
        case accepted
        /// 410 Unregistered with an instant (Unix seconds). The token is deleted if it was registered before that.
        case unregistered(since: Int64)
        case badToken, busyOnce, troubledOnce
        /// RST_STREAM with REFUSED_STREAM once: the push was not processed. Then 200.
        case refusedOnce
    }

    let token: String
    let platform: String
    /// Unix seconds.
    let registeredAt: Int64
    let answer: Answer

    var isStale: Bool { if case .unregistered(let since) = answer { since > registeredAt } else { false } }
}

/// Everyone in the demo: a pure function of seed, count, zones and the day's start.
struct DemoPopulation: Sendable, Equatable {
    let people: [DemoPerson]

    /// `zones`: every zone name of the database, sorted. Registrations are before `start` (Unix seconds).
    init(count: Int, seed: UInt64, zones: [String], start: Int64) {
        var generator = SplitMix64(seed: seed)
        let places = Places(names: zones)
        // Of its own: the same seed gives the same people, with or without orders.
        var orders = SplitMix64(seed: ~seed)
        people = (0..<count).map { _ in
            var person = DemoPerson.draw(places, start: start, &generator)
            person.order = DemoOrder.draw(person, &orders)
            return person
        }
    }

    var devicesByToken: [String: DemoDevice] {
        Dictionary(people.flatMap(\.devices).map { ($0.token, $0) }, uniquingKeysWith: { first, _ in first })
    }
}
