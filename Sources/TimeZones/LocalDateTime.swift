/// A wall time: what a calendar and a clock show, without a time zone.
public struct LocalDateTime: Sendable, Hashable, Comparable {
    /// The date.
    public var date: LocalDate
    /// The time in seconds after midnight: 0 to 86,399.
    public private(set) var secondOfDay: Int

    /// A wall time. A second outside 0 to 86,399 counts as the nearest one inside.
    public init(_ date: LocalDate, secondOfDay: Int) {
        self.date = date
        self.secondOfDay = min(max(secondOfDay, 0), 86_399)
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS` with years 0001 to 9999. Nil for any other form.
    public init?(iso text: String) {
        guard text.utf8.count == 19, let instant = Instant(rfc3339: text + "Z") else { return nil }
        let date = LocalDate(flooring: instant.seconds)
        self.init(date, secondOfDay: Int(instant.seconds - Int64(date.days) * 86_400))
    }

    /// Whether the left wall time is earlier.
    public static func < (left: LocalDateTime, right: LocalDateTime) -> Bool {
        (left.date, left.secondOfDay) < (right.date, right.secondOfDay)
    }

    /// `YYYY-MM-DDTHH:MM:SS`. A time outside the years 0001 to 9999 is written as the nearest one inside.
    public var iso: String {
        String(Instant(seconds: Int64(date.days) * 86_400 + Int64(secondOfDay)).rfc3339.dropLast())
    }
}

extension Zone {
    /// The instant of a wall time. In a gap it is the instant of the transition, in an overlap `which` decides.
    public func resolve(_ time: LocalDateTime, _ which: Which) -> Instant {
        resolve(time.date, secondOfDay: time.secondOfDay, which)
    }

    /// The wall time at an instant.
    public func localDateTime(at instant: Instant) -> LocalDateTime {
        let (date, secondOfDay) = localTime(at: instant)
        return LocalDateTime(date, secondOfDay: secondOfDay)
    }
}
