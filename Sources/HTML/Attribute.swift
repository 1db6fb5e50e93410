/// An attribute of an element.
public struct Attribute: Sendable {
    private let name: StaticString
    private let value: String

    /// `name="value"`, the value escaped.
    public init(_ name: StaticString, _ value: String) {
        self.name = name
        self.value = value
    }

    /// The same with an integer.
    public init(_ name: StaticString, _ value: Int) { self.init(name, String(value)) }

    /// A share of the whole's width, `12.5%`, rounded to a thousandth.
    ///
    /// - Parameter fraction: 0 to 1.
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
