public import TimeZones

/// When something comes again: what reminders understand of RFC 5545's recurrence rules (3.3.10), as a value.
///
/// A rule counts in wall time, from the wall time of its first occurrence on. That first one always counts, also where the rule would not have chosen
/// it; the RFC leaves this case open, and calendars show it.
public struct Recurrence: Sendable, Hashable {
    /// What INTERVAL and the chosen days are of.
    public enum Frequency: String, Sendable, CaseIterable {
        /// Each so-many-th day.
        case daily = "DAILY"
        /// Days of each so-many-th week.
        case weekly = "WEEKLY"
        /// Days of each so-many-th month.
        case monthly = "MONTHLY"
    }

    /// After which occurrence there is none.
    public enum End: Sendable, Hashable {
        /// It goes on.
        case never
        /// So many in all, the first included.
        case count(Int)
        /// The last one lies on this local day at the latest.
        case date(LocalDate)
        /// The last one lies at this wall time at the latest.
        case local(LocalDateTime)
        /// The last one lies at this instant at the latest; which one that is takes a zone.
        case instant(Instant)
    }

    /// FREQ
    public let frequency: Frequency
    /// INTERVAL, 1 to 9999
    public let interval: Int
    /// BYDAY, in ascending order, each once; numbered ones with `monthly` only.
    public let weekdays: [RecurrenceDay]
    /// BYMONTHDAY, in ascending order, each once: 1 to 31, or -1 (the last) to -31; none with `weekly`.
    public let monthDays: [Int]
    /// WKST: the first day of a week, 1 (Monday) to 7.
    public let weekStart: Int
    /// COUNT or UNTIL
    public let end: End

    /// What INTERVAL and COUNT can be.
    static let numbers = 1...9999
    /// The longest rule that is read. The longest that says something new on each byte is shorter.
    static let longestRule = 500
}

extension Recurrence: CustomStringConvertible {
    /// The rule as RFC 5545 writes it, every part that is not its default once and in one order.
    public var description: String {
        var parts = ["FREQ=\(frequency.rawValue)"]
        if interval != 1 { parts.append("INTERVAL=\(interval)") }
        if !weekdays.isEmpty { parts.append("BYDAY=\(weekdays.map(\.description).joined(separator: ","))") }
        if !monthDays.isEmpty { parts.append("BYMONTHDAY=\(monthDays.map(String.init).joined(separator: ","))") }
        switch end {
        case .never: break
        case .count(let count): parts.append("COUNT=\(count)")
        case .date(let date): parts.append("UNTIL=\(Self.basic(date.iso))")
        case .local(let time): parts.append("UNTIL=\(Self.basic(time.iso))")
        case .instant(let instant): parts.append("UNTIL=\(Self.basic(instant.rfc3339))")
        }
        if weekStart != 1 { parts.append("WKST=\(RecurrenceDay(weekStart))") }
        return parts.joined(separator: ";")
    }

    /// ISO 8601's basic format: without hyphens and colons.
    private static func basic(_ extended: String) -> String { extended.filter { $0 != "-" && $0 != ":" } }
}
