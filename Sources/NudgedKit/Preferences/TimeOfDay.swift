/// A local time in whole minutes, 00:00 to 23:59.
public struct TimeOfDay: Sendable, Hashable, CustomStringConvertible {
    /// Minutes after midnight, 0 to 1439.
    public let minutes: Int

    /// Reads `HH:MM` in ASCII digits. Nil for any other text.
    public init?(_ text: String) {
        var text = text
        let minutes = text.withUTF8 { bytes -> Int? in
            guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
            let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - 48 }
            guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
            let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
            return hour < 24 && minute < 60 ? hour * 60 + minute : nil
        }
        guard let minutes else { return nil }
        self.minutes = minutes
    }

    /// - Parameter minutes: minutes after midnight. The result is nil outside 0 to 1439.
    public init?(minutes: Int) {
        guard (0..<1440).contains(minutes) else { return nil }
        self.minutes = minutes
    }

    /// A whole hour. The caller must pass 0 to 23; it is not checked.
    package init(hour: Int) {
        minutes = hour * 60
    }

    /// Seconds after midnight.
    public var seconds: Int64 { Int64(minutes) * 60 }

    /// The time as `HH:MM`.
    public var description: String {
        let (hour, minute) = (minutes / 60, minutes % 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
