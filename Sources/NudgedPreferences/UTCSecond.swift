/// An instant in UTC in whole seconds, of the years 0001 to 9999. Preferences write it as `2026-05-07T04:38:44Z`.
public struct UTCSecond: Sendable, Hashable, CustomStringConvertible {
    /// Seconds since 1970-01-01T00:00:00Z without leap seconds (Unix time).
    public let seconds: Int64

    /// The first and the last one that can be written.
    package static let range: ClosedRange<Int64> = -62_135_596_800...253_402_300_799

    /// - Parameter seconds: since 1970. The result is nil outside the years 0001 to 9999.
    public init?(seconds: Int64) {
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
    }

    /// Reads `YYYY-MM-DDTHH:MM:SSZ` (RFC 3339). Nil for any other form, such as lower-case letters, fractions, other
    /// offsets and leap seconds (:60).
    public init?(_ text: String) {
        var text = text
        let seconds = text.withUTF8 { bytes -> Int64? in
            guard bytes.count == 20, bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
                bytes[16] == UInt8(ascii: ":"), bytes[19] == UInt8(ascii: "Z"),
                let days = CivilDate.days(iso: bytes[..<10]),
                let hour = CivilDate.decimal(bytes[11..<13]), hour < 24,
                let minute = CivilDate.decimal(bytes[14..<16]), minute < 60,
                let second = CivilDate.decimal(bytes[17..<19]), second < 60
            else { return nil }
            return Int64(days) * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        }
        guard let seconds else { return nil }
        self.seconds = seconds
    }

    /// `YYYY-MM-DDTHH:MM:SSZ`
    public var description: String {
        let days = Int((seconds >= 0 ? seconds : seconds - 86_399) / 86_400)
        let second = Int(seconds - Int64(days) * 86_400)
        return String(unsafeUninitializedCapacity: 20) { bytes in
            CivilDate.write(days, to: bytes)
            bytes[10] = UInt8(ascii: "T")
            CivilDate.writeDecimal(second / 3600, to: bytes, at: 11)
            bytes[13] = UInt8(ascii: ":")
            CivilDate.writeDecimal(second / 60 % 60, to: bytes, at: 14)
            bytes[16] = UInt8(ascii: ":")
            CivilDate.writeDecimal(second % 60, to: bytes, at: 17)
            bytes[19] = UInt8(ascii: "Z")
            return 20
        }
    }
}

/// The calendar's arithmetic, in days since 1970-01-01. A year starts in March, so that the leap day is its last. An
/// era has 400 years (146,097 days).
package enum CivilDate {
    private static let daysPerEra = 146_097
    /// Days from 0000-03-01 to 1970-01-01.
    private static let daysToEpoch = 719_468

    package static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// The number of days in a month. The month is 1 to 12.
    package static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    package static func days(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * daysPerEra + dayOfEra - daysToEpoch
    }

    package static func civil(_ days: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = days + daysToEpoch
        let era = (shifted >= 0 ? shifted : shifted - (daysPerEra - 1)) / daysPerEra
        let dayOfEra = shifted - era * daysPerEra
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * month + 2) / 5 + 1
        let year = yearOfEra + era * 400
        return month < 10 ? (year, month + 3, day) : (year + 1, month - 9, day)
    }

    /// Reads `YYYY-MM-DD` with years 0001 to 9999. Nil for any other form and for days that don't exist.
    package static func days(iso bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let start = bytes.startIndex
        guard bytes.count == 10, bytes[start + 4] == UInt8(ascii: "-"), bytes[start + 7] == UInt8(ascii: "-"),
            let year = decimal(bytes[start..<start + 4]),
            let month = decimal(bytes[start + 5..<start + 7]),
            let day = decimal(bytes[start + 8..<start + 10]), isDay(year: year, month: month, day: day)
        else { return nil }
        return days(year: year, month: month, day: day)
    }

    /// Whether there is such a day in the years 0001 to 9999.
    package static func isDay(year: Int, month: Int, day: Int) -> Bool {
        (1...9999).contains(year) && (1...12).contains(month) && day >= 1 && day <= length(ofMonth: month, year: year)
    }

    /// Writes the ten bytes of `YYYY-MM-DD`. A day outside the years 0001 to 9999 is written as the nearest one inside.
    package static func write(_ days: Int, to bytes: UnsafeMutableBufferPointer<UInt8>) {
        let (year, month, day) = civil(min(max(days, -719_162), 2_932_896))
        writeDecimal(year / 100, to: bytes, at: 0)
        writeDecimal(year, to: bytes, at: 2)
        bytes[4] = UInt8(ascii: "-")
        writeDecimal(month, to: bytes, at: 5)
        bytes[7] = UInt8(ascii: "-")
        writeDecimal(day, to: bytes, at: 8)
    }

    /// ASCII digits as a number. Nil if there are none, more than 18, or other bytes.
    package static func decimal(_ digits: some Collection<UInt8>) -> Int? {
        guard (1...18).contains(digits.count) else { return nil }
        var value = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        return value
    }

    /// Writes a number's last two digits.
    static func writeDecimal(_ value: Int, to bytes: UnsafeMutableBufferPointer<UInt8>, at index: Int) {
        bytes[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / 10 % 10)
        bytes[index + 1] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value % 10)
    }
}
