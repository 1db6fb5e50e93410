package import TimeZones

/// A stretch of time in which a zone has one offset. With these, the database counts local hours without its own zone
/// files.
package struct ZoneOffset: Sendable, Equatable {
    package var name: String
    /// The first instant.
    package var from: Instant
    /// The first instant after it.
    package var until: Instant
    /// Seconds east of UTC.
    package var seconds: Int32

    package init(name: String, from: Instant, until: Instant, seconds: Int32) {
        self.name = name
        self.from = from
        self.until = until
        self.seconds = seconds
    }
}
