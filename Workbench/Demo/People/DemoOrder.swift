import Seeded

import struct FoundationEssentials.UUID

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
