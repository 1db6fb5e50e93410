/// Durations as the configuration writes them: `500ms`, `1s`, `5m`, `2h`, or a number of seconds such as `0.5`.
package enum DurationText {
    /// Nil for any other text, for a negative duration and for one of more than 10,000,000 of its unit.
    package static func parse(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let milliseconds: Int64
        switch text[number.endIndex...] {
        case "ms": milliseconds = 1
        case "s", "": milliseconds = 1000
        case "m": milliseconds = 60_000
        case "h": milliseconds = 3_600_000
        default: return nil
        }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        // Decimal digits, not Double: `0.3` must be exactly 300 ms. More than six decimals are taken for a mistake.
        guard parts.count <= 2, let whole = Int64(parts[0]), whole <= 10_000_000 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard !fraction.isEmpty, fraction.count <= 6, let part = Int64(fraction) else { return nil }
        let scale = (0..<fraction.count).reduce(Int64(1)) { power, _ in power * 10 }
        return .microseconds(whole * milliseconds * 1000 + part * milliseconds * 1000 / scale)
    }

    /// The shortest text that `parse` reads back, exact to the microsecond.
    package static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        if microseconds == 0 { return "0s" }
        for (unit, size) in [("h", Int64(3_600_000_000)), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000)]
        where microseconds % size == 0 {
            return "\(microseconds / size)\(unit)"
        }
        let digits = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits + "ms"
    }
}

extension Duration {
    /// Whole milliseconds. A fraction is cut off.
    package var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
