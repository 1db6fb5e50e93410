/// A local time of day, to the minute.
public struct WallTime: Sendable, Equatable, CustomStringConvertible {
    /// Minutes since local midnight, 0 to 1439.
    public let minutes: Int

    init(minutes: Int) {
        self.minutes = minutes
    }

    /// From `HH:MM`, 00:00 to 23:59, ASCII digits; nil for anything else (policy.md, "Preferences").
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [0, 1, 3, 4].map { Int(bytes[$0]) - 48 }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let hour = digits[0] * 10 + digits[1]
        let minute = digits[2] * 10 + digits[3]
        guard hour < 24, minute < 60 else { return nil }
        minutes = hour * 60 + minute
    }

    /// `HH:MM`.
    public var description: String {
        let hour = minutes / 60
        let minute = minutes % 60
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
