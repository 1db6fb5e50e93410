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
