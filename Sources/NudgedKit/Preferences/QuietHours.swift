/// Local wall times between which nothing buzzes, over midnight where the end is not after the start.
public struct QuietHours: Sendable, Equatable, CustomStringConvertible {
    /// The first quiet minute.
    public let start: TimeOfDay
    /// The first minute that is quiet no more. Equal to the start: there are no quiet hours.
    public let end: TimeOfDay

    /// Quiet from start to end.
    public init(start: TimeOfDay, end: TimeOfDay) {
        self.start = start
        self.end = end
    }

    /// Whether these say that there are none.
    public var isNone: Bool { start == end }

    /// `22:00-08:00`
    public var description: String { "\(start)-\(end)" }
}
