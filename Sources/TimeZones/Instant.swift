public import NudgedPreferences

/// An instant: whole seconds since 1970-01-01T00:00:00Z without leap seconds (Unix time).
///
/// Arithmetic saturates, so no hostile input can trap.
public struct Instant: Sendable, Hashable, Comparable {
    public var seconds: Int64

    @inlinable
    public init(seconds: Int64) { self.seconds = seconds }

    @inlinable
    public static func < (left: Instant, right: Instant) -> Bool { left.seconds < right.seconds }

    @inlinable
    public static func + (instant: Instant, seconds: Int64) -> Instant {
        let (sum, overflow) = instant.seconds.addingReportingOverflow(seconds)
        return Instant(seconds: overflow ? (seconds < 0 ? .min : .max) : sum)
    }

    @inlinable
    public static func - (instant: Instant, seconds: Int64) -> Instant {
        let (difference, overflow) = instant.seconds.subtractingReportingOverflow(seconds)
        return Instant(seconds: overflow ? (seconds < 0 ? .max : .min) : difference)
    }

    @inlinable
    public static func - (left: Instant, right: Instant) -> Int64 { (left - right.seconds).seconds }

    /// The seconds, limited to about ±5.7 million years, so that local times fit all integers.
    var clamped: Int64 { min(max(seconds, -180_000_000_000_000), 180_000_000_000_000) }
}

extension Instant {
    /// 0001-01-01T00:00:00Z, the first instant that can be written.
    public static let first = Instant(seconds: UTCSecond.range.lowerBound)
    /// 9999-12-31T23:59:59Z, the last instant that can be written.
    public static let last = Instant(seconds: UTCSecond.range.upperBound)

    /// Reads `YYYY-MM-DDTHH:MM:SSZ`, as `UTCSecond` does.
    public init?(rfc3339 text: String) {
        guard let second = UTCSecond(text) else { return nil }
        self.init(second)
    }

    public init(_ second: UTCSecond) { self.init(seconds: second.seconds) }

    /// `YYYY-MM-DDTHH:MM:SSZ`. An instant outside the years 0001 to 9999 is written as the nearest one inside.
    public var rfc3339: String {
        let inside = min(max(seconds, UTCSecond.range.lowerBound), UTCSecond.range.upperBound)
        return UTCSecond(seconds: inside)?.description ?? ""
    }
}

extension Instant {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads the header `Date` in the form that servers use today (RFC 9110, section 5.6.7, IMF-fixdate): `Sun, 06 Nov
    /// 1994 08:49:37 GMT`. Nil for any other form. The day of the week is not checked.
    public init?(httpDate text: String) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 6, parts[0].utf8.count == 4, parts[0].hasSuffix(","), parts[1].utf8.count == 2,
            let month = Self.months.firstIndex(of: parts[2]), parts[3].utf8.count == 4, parts[5] == "GMT"
        else { return nil }
        let number = month + 1 < 10 ? "0\(month + 1)" : "\(month + 1)"
        // A leap second (:60) counts as the following second.
        let isLeap = parts[4].hasSuffix(":60")
        let time = isLeap ? parts[4].dropLast(2) + "59" : parts[4][...]
        guard let instant = Instant(rfc3339: "\(parts[3])-\(number)-\(parts[1])T\(time)Z") else { return nil }
        self = isLeap ? instant + 1 : instant
    }
}
