extension String {
    /// Whether a phone would show nothing: it is empty, or only white space and invisible characters. The same as
    /// nudged.is_blank in SQL.
    var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: true
            default: scalar.properties.isWhitespace
            }
        }
    }
}

extension String {
    /// Replaces each occurrence of a text, from the left. (The standard library's own function comes with a library for
    /// regular expressions.)
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

/// Texts of others, such as the decision service's, for the record and for reports: these are the only places that
/// decide what is kept of them.
extension String {
    /// One line of at most 500 Unicode scalars. Text from outside may be longer.
    package var oneLine: String { oneLine(most: 500) }

    /// Control characters and line breaks become spaces, since jsonb can't hold U+0000 and a terminal obeys the others.
    /// Characters that are invisible, or turn the order of others, are left out.
    func oneLine(most: Int) -> String {
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
