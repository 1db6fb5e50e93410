/// An instant: whole seconds since 1970-01-01T00:00:00Z without leap seconds (Unix time).
///
/// Arithmetic saturates, so no hostile input can trap.
public struct Instant: Sendable, Hashable, Comparable {
    /// Seconds since the Unix epoch.
    public var seconds: Int64

    /// An instant from Unix seconds.
    @inlinable
    public init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Whether the left instant is earlier.
    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }

    /// The instant this many seconds later.
    @inlinable
    public static func + (instant: Instant, seconds: Int64) -> Instant {
        let (sum, overflow) = instant.seconds.addingReportingOverflow(seconds)
        return Instant(seconds: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    /// The instant this many seconds earlier.
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

    /// The seconds, limited to about ±5.7 million years. Local times within this span fit all integers. Instants beyond
    /// it count as its ends.
    var clamped: Int64 { min(max(seconds, -Self.reach), Self.reach) }
    static let reach: Int64 = 180_000_000_000_000
}
