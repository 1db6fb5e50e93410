/// Quiet hours: local minutes of the day, `start` inclusive, `end` exclusive. Equal means none.
package struct Night: Sendable, Equatable {
    package let start: Int
    package let end: Int

    /// For people who set none (the default rule in docs/POLICY.md).
    package static let usual = Night(start: 22 * 60, end: 8 * 60)

    package init(start: Int, end: Int) { (self.start, self.end) = (start, end) }

    package func holds(minute: Int) -> Bool {
        start <= end ? minute >= start && minute < end : minute >= start || minute < end
    }

    /// A minute of the day as `HH:MM`.
    package static func clock(_ minute: Int) -> String {
        let (hour, minute) = (minute / 60, minute % 60)
        return "\(hour / 10)\(hour % 10):\(minute / 10)\(minute % 10)"
    }
}
