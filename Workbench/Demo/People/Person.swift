import struct FoundationEssentials.UUID

/// One user of the demo, with what the demo knows of them by construction: it never reads their preferences back.
struct Person: Sendable, Equatable {
    /// A change of preferences in the course of the day.
    struct Change: Sendable, Equatable {
        /// Minutes after the day's start.
        let minute: Int
        /// The new column.
        let preferences: String
        /// The quiet hours from then on.
        let night: Night
    }

    let userID: UUID
    /// The column `notification_preferences`; nil is null.
    let preferences: String?
    /// The column `timezone`.
    let timezone: String?
    let firstSessionComplete: Bool
    let devices: [DemoDevice]
    /// The zone that they live in; nil where neither name is one.
    let zone: String?
    /// The quiet hours at the day's start.
    let night: Night
    /// Whether check-ins are possible at the day's start, their devices apart.
    let isServed: Bool
    let change: Change?

    /// The quiet hours so many minutes after the day's start.
    func night(at minute: Int) -> Night {
        if let change, minute >= change.minute { change.night } else { night }
    }
}
