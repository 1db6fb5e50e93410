/// Local times between which a user gets no nudges. They pass midnight if the end is not after the start.
public struct QuietHours: Sendable, Equatable, CustomStringConvertible {
    /// The first quiet minute.
    public let start: TimeOfDay
    /// The first minute after the quiet hours. Equal to the start: no quiet hours.
    public let end: TimeOfDay

    /// Quiet from `start` until `end`. Equal times mean no quiet hours.
    public init(start: TimeOfDay, end: TimeOfDay) {
        self.start = start
        self.end = end
    }

    /// Whether start and end are equal, which means no quiet hours.
    public var isNone: Bool { start == end }

    /// Start and end, such as `22:00-08:00`.
    public var description: String { "\(start)-\(end)" }
}
