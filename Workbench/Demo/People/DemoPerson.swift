import struct FoundationEssentials.UUID

/// One user of the demo. The demo knows their preferences because it made them; it never reads them back.
struct DemoPerson: Sendable, Equatable {
    /// A change of preferences during the day.
    struct Change: Sendable, Equatable {
        /// Minutes after the day's start.
        let minute: Int
        /// The column's new value.
        let preferences: String
        /// The quiet hours after it.
        let night: Night
    }

    let userID: UUID
    /// The column `notification_preferences`; nil for null.
    let preferences: String?
    /// The column `timezone`.
    let timezone: String?
    let firstSessionComplete: Bool
    let devices: [DemoDevice]
    /// The zone that applies; nil if neither name is valid.
    let zone: String?
    /// The quiet hours at the day's start.
    let night: Night
    /// Whether check-ins are possible at the day's start, apart from their devices.
    let isServed: Bool
    let change: Change?

    /// The quiet hours this many minutes after the day's start.
    func night(at minute: Int) -> Night {
        if let change, minute >= change.minute { change.night } else { night }
    }
}
