public import TimeZones

/// A stretch of time in which a zone has one offset: so the database counts local hours without asking its own zones.
public struct ZoneOffset: Sendable, Equatable {
    /// The zone's name.
    public var name: String
    /// The first instant.
    public var from: Instant
    /// The first instant after it.
    public var until: Instant
    /// Seconds east of UTC.
    public var seconds: Int32

    /// All parts.
    public init(name: String, from: Instant, until: Instant, seconds: Int32) {
        self.name = name
        self.from = from
        self.until = until
        self.seconds = seconds
    }
}
