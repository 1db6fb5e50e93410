extension String {
    /// Whether a phone would show nothing of it: white space and what is invisible, or nothing at all (in SQL:
    /// nudged.is_blank).
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
    /// Each occurrence of a text, from the left, by another. (The standard library's own stands with regular
    /// expressions in another library.)
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
