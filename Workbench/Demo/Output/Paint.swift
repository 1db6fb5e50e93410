/// Adds escape codes for colours if they are understood (ECMA-48, select graphic rendition).
struct Paint: Sendable {
    enum Colour: Int {
        case bold = 1
        case dim = 2
        case red = 31
        case green = 32
        case blue = 34
    }

    let isOn: Bool

    func callAsFunction(_ text: String, _ colour: Colour) -> String {
        isOn && !text.isEmpty ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }
}
