extension Unicode.Scalar {
    /// Whether it controls a terminal, starts a new line, is invisible, or reverses the order of other characters.
    var isUnprintable: Bool {
        // Most text is ASCII, and the table of properties is slow.
        if (0x20..<0x7F).contains(value) { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// Text of others, such as the app's, for a terminal or a log: these are the only places that decide what is shown.
extension String {
    /// One line: unprintable characters become U+FFFD.
    package var printable: String { replacingUnprintable { _ in "\u{FFFD}" } }

    /// The same for several lines: line breaks stay.
    package var printableLines: String { replacingUnprintable { $0 == "\n" ? "\n" : "\u{FFFD}" } }

    /// A JSON document: its unprintable characters become escapes, so its values stay the same.
    package var printableJSON: String {
        replacingUnprintable { scalar in
            guard scalar != "\n" else { return "\n" }
            // JSON escapes UTF-16, so a character beyond U+FFFF has two escapes.
            return String(scalar).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        }
    }

    /// - Parameter replacement: for an unprintable character.
    func replacingUnprintable(_ replacement: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if scalar.isUnprintable {
                result.append(contentsOf: replacement(scalar).unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }
}
