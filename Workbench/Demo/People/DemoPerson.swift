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

/// Something that a person orders during the day. A Live Activity on their phone shows how it comes.
struct DemoOrder: Sendable, Equatable {
    let userID: UUID
    let id: String
    /// When the app sends each of `events`: minutes since the day's start.
    let minutes: [Int]
    /// The phone gave it to the app before.
    let startToken: String
    /// The phone gives it to the app when the activity has started.
    let activityToken: String

    static let attributesType = "OrderAttributes"
    static let events: [(name: String, title: String?)] = [
        ("start", "We have your order"), ("update", nil), ("update", "Your order is at the door"), ("end", nil),
    ]

    /// How many in a thousand of the people who could.
    private static let share: UInt64 = 50

    /// At any hour of theirs. nil: they order nothing.
    static func draw(_ person: DemoPerson, _ generator: inout SplitMix64) -> DemoOrder? {
        // With a limit of their own, an earlier check-in may hold the start back.
        guard person.isServed, person.preferences?.contains("max_per_day") == false,
            person.devices.contains(where: { $0.answer == .accepted }), generator.chance(share)
        else { return nil }
        // Whole five minutes, since each minute in which the app sends something costs a sweep.
        let gap = 5 * generator.number(4...24)
        let first = 5 * generator.number(0...(1439 - 3 * gap) / 5)
        return DemoOrder(
            userID: person.userID,
            id: generator.hex(8),
            minutes: events.indices.map { first + $0 * gap },
            startToken: generator.hex(160),
            activityToken: generator.hex(128)
        )
    }

    func apns(_ step: Int) -> String {
        let attributes = step == 0 ? #","attributes_type":"\#(Self.attributesType)","attributes":{}"# : ""
        return #"{"live_activity":{"event":"\#(Self.events[step].name)","id":"\#(id)","#
            + #""content_state":{"step":\#(step)}\#(attributes)}}"#
    }
}
