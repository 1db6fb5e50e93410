// Text of others (the app's, a server's) for a terminal, a log or the record. Only this file decides what is shown.

extension Unicode.Scalar {
    /// Whether it controls a terminal, starts a new line, is invisible, or reverses the order of other characters.
    package var isUnprintable: Bool {
        // Most text is ASCII, and the table of properties is slow.
        if (0x20..<0x7F).contains(value) { return false }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// JSON escapes UTF-16, so a character beyond U+FFFF has two escapes.
    package var jsonEscape: String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}

extension String {
    /// One line: unprintable characters become U+FFFD.
    package var printable: String { replacingUnprintable { _ in "\u{FFFD}" } }

    /// The same for several lines: line breaks stay.
    package var printableLines: String { replacingUnprintable { $0 == "\n" ? "\n" : "\u{FFFD}" } }

    /// A JSON document: its unprintable characters become escapes, so its values stay the same.
    package var printableJSON: String { replacingUnprintable { $0 == "\n" ? "\n" : $0.jsonEscape } }

    package func replacingUnprintable(_ replacement: (Unicode.Scalar) -> String) -> String {
        guard unicodeScalars.contains(where: \.isUnprintable) else { return self }
        return unicodeScalars.reduce(into: "") { text, scalar in
            if scalar.isUnprintable { text += replacement(scalar) } else { text.unicodeScalars.append(scalar) }
        }
    }

    /// One line of at most 500 Unicode scalars. Text from outside may be longer.
    package var oneLine: String { oneLine(most: 500) }

    /// Control characters and line breaks become spaces, since jsonb can't hold U+0000 and a terminal obeys the others.
    /// Characters that are invisible, or turn the order of others, are left out.
    package func oneLine(most: Int) -> String {
        var line = UnicodeScalarView()
        for scalar in unicodeScalars.prefix(most) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: line.append(" ")
            case .format, .surrogate, .unassigned, .privateUse: continue
            default: line.append(scalar)
            }
        }
        return String(line)
    }
}

extension String {
    /// Whether a phone would show nothing: white space and invisible characters. As nudged.is_blank in SQL.
    package var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: true
            default: scalar.properties.isWhitespace
            }
        }
    }

    /// Replaces each occurrence of a text, from the left. (The standard library's brings regular expressions along.)
    package func replacing(_ text: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let character = rest.first {
            if rest.hasPrefix(text) {
                result += other
                rest = rest.dropFirst(text.count)
            } else {
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
