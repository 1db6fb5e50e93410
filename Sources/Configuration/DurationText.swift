/// Durations as the configuration writes them: `500ms`, `1s`, `5m`, `2h`, or a number of seconds such as `0.5`.
package enum DurationText {
    /// From the longest to the shortest, in microseconds.
    private static let units: [(name: String, size: Int64)] = [
        ("h", 3_600_000_000), ("m", 60_000_000), ("s", 1_000_000), ("ms", 1000),
    ]

    /// Nil for any other text, for a negative duration and for one of more than 10,000,000 of its unit.
    package static func parse(_ text: String) -> Duration? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let name = number.endIndex == text.endIndex ? "s" : text[number.endIndex...]
        guard let size = units.first(where: { $0.name == name })?.size else { return nil }
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        // Decimal digits, not Double: `0.3` must be exactly 300 ms. More than six decimals are taken for a mistake.
        guard parts.count <= 2, let whole = Int64(parts[0]), whole <= 10_000_000 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : "0"
        guard !fraction.isEmpty, fraction.count <= 6, let part = Int64(fraction) else { return nil }
        let scale = (0..<fraction.count).reduce(Int64(1)) { power, _ in power * 10 }
        return .microseconds(whole * size + part * size / scale)
    }

    /// The shortest text that `parse` reads back, exact to the microsecond.
    package static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        if microseconds == 0 { return "0s" }
        if let unit = units.first(where: { microseconds % $0.size == 0 }) {
            return "\(microseconds / unit.size)\(unit.name)"
        }
        let digits = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - digits.count) + digits + "ms"
    }
}

extension Duration {
    /// Whole milliseconds. A fraction is cut off.
    package var milliseconds: Int64 { Int64(self / .milliseconds(1)) }
}
