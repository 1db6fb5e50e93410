/// An attribute of an element.
public struct Attribute: Sendable {
    private let name: StaticString
    private let value: String

    /// `name="value"`. The value is escaped.
    public init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The same for an integer.
    public init(_ name: StaticString, _ value: Int) { self.init(name, String(value)) }

    /// A percentage of the whole width, such as `12.5%`, rounded to a thousandth of a per cent.
    ///
    /// - Parameter fraction: 0 to 1; a value outside is clamped.
    public init(_ name: StaticString, percent fraction: Double) { self.init(name, Self.percent(fraction)) }

    func write(to markup: inout String) {
        markup += " \(name)=\""
        Escaping.write(value, to: &markup)
        markup += "\""
    }

    static func percent(_ fraction: Double) -> String {
        let thousandths = Int((min(max(fraction, 0), 1) * 100_000).rounded())
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        guard rest > 0 else { return "\(whole)%" }
        let digits = String(String(1000 + rest).dropFirst())
        return "\(whole).\(digits[...(digits.lastIndex { $0 != "0" } ?? digits.startIndex)])%"
    }
}
