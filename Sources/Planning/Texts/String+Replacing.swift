extension String {
    /// Each occurrence of a text, from the left, by another. (The standard library's own stands with regular expressions in another library.)
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
