/// An instant: whole seconds since 1970-01-01T00:00:00Z, leap seconds not counted (Unix time).
///
/// Arithmetic saturates, so that no hostile input can trap.
public struct Instant: Sendable, Hashable, Comparable {
    /// Seconds since the Unix epoch.
    public var seconds: Int64

    /// An instant from Unix seconds.
    @inlinable
    public init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Earlier before later.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }

    /// So many seconds later.
    @inlinable
    public static func + (instant: Instant, seconds: Int64) -> Instant {
        let (sum, overflow) = instant.seconds.addingReportingOverflow(seconds)
        return Instant(seconds: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// So many seconds earlier.
    @inlinable
    public static func - (instant: Instant, seconds: Int64) -> Instant {
        let (difference, overflow) = instant.seconds.subtractingReportingOverflow(seconds)
        return Instant(seconds: overflow ? (seconds < 0 ? .max : .min) : difference)
    }

    /// Seconds from the right instant to the left one.
    @inlinable
    public static func - (left: Instant, right: Instant) -> Int64 {
        (left - right.seconds).seconds
    }

    /// The span that local times are computed for, about ±5.7 million years: every step on from here fits its integer.
    /// Instants beyond count as its ends.
    var clamped: Int64 { min(max(seconds, -Self.reach), Self.reach) }
    static let reach: Int64 = 180_000_000_000_000
}
