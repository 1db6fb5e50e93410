/// Colours a word for a terminal, or leaves it as it is.
package struct Colour: Sendable {
    private let isOn: Bool

    /// No escape codes, as for a file or a pipe.
    package static let none = Colour(isOn: false)

    private init(isOn: Bool) {
        self.isOn = isOn
    }

    /// - Parameters:
    ///   - isTerminal: whether the text goes to a terminal.
    ///   - environment: `NO_COLOR` turns colours off if it is not empty (no-color.org), as does a `TERM` of `dumb`.
    package init(isTerminal: Bool, environment: [String: String]) {
        let isUnwanted = !(environment["NO_COLOR"] ?? "").isEmpty
        isOn = isTerminal && !isUnwanted && environment["TERM"] != "dumb"
    }

    /// Green: it works.
    package func good(_ text: String) -> String { painted(text, "32") }

    /// Yellow: look at it.
    package func warning(_ text: String) -> String { painted(text, "33") }

    /// Bold red: it does not work.
    package func bad(_ text: String) -> String { painted(text, "1;31") }

    /// ECMA-48, "SGR": set the colour, and reset it.
    private func painted(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
