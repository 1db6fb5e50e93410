/// An instant: whole seconds since 1970-01-01T00:00:00Z without leap seconds (Unix time).
///
/// Arithmetic saturates, so no hostile input can trap.
public struct Instant: Sendable, Hashable, Comparable {
    public var seconds: Int64

    @inlinable
    public init(seconds: Int64) {
        self.seconds = seconds
    }

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
    public static func - (left: Instant, right: Instant) -> Int64 {
        (left - right.seconds).seconds
    }

    /// The seconds, limited to about ±5.7 million years. Local times within this span fit all integers. Instants beyond
    /// it count as its ends.
    var clamped: Int64 { min(max(seconds, -Self.reach), Self.reach) }
    static let reach: Int64 = 180_000_000_000_000
}

extension Instant {
    /// 0001-01-01T00:00:00Z, the first instant that can be written.
    public static let first = Instant(seconds: -62_135_596_800)
    /// 9999-12-31T23:59:59Z, the last instant that can be written.
    public static let last = Instant(seconds: 253_402_300_799)

    /// Reads `YYYY-MM-DDTHH:MM:SSZ` (RFC 3339, UTC, whole seconds, years 0001 to 9999). Nil for any other form, such as
    /// lower-case letters, fractions, other offsets and leap seconds (:60).
    public init?(rfc3339 text: String) {
        var text = text
        let seconds = text.withUTF8 { bytes -> Int64? in
            guard bytes.count == 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
                bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z"),
                let date = LocalDate(iso: bytes[..<10]),
                let hour = decimal(bytes[11..<13]), hour < 24,
                let minute = decimal(bytes[14..<16]), minute < 60,
                let second = decimal(bytes[17..<19]), second < 60
            else { return nil }
            return Int64(date.days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        }
        guard let seconds else { return nil }
        self.init(seconds: seconds)
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`. An instant outside the years 0001 to 9999 is written as the nearest one inside.
    public var rfc3339: String {
        let inside = Swift.min(Swift.max(self, .first), .last)
        let date = LocalDate(flooring: inside.seconds)
        let second = Int(inside.seconds - Int64(date.days) * 86_400)
        return String(unsafeUninitializedCapacity: 20) { bytes in
            date.write(to: bytes)
            bytes[10] = UInt8(ascii: "T")
            writeDecimal(second / 3600, to: bytes, at: 11)
            bytes[13] = UInt8(ascii: ":")
            writeDecimal(second / 60 % 60, to: bytes, at: 14)
            bytes[16] = UInt8(ascii: ":")
            writeDecimal(second % 60, to: bytes, at: 17)
            bytes[19] = UInt8(ascii: "Z")
            return 20
        }
    }
}

/// ASCII digits as a number. Nil if there are none, more than 18, or other bytes.
func decimal(_ digits: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    guard (1...18).contains(digits.count) else { return nil }
    var value = 0
    for byte in digits {
        let digit = byte &- UInt8(ascii: "0")
        guard digit < 10 else { return nil }
        value = value * 10 + Int(digit)
    }
    return value
}

/// Writes a number below 100 as two digits.
func writeDecimal(_ value: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
    bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10)
    bytes[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
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
