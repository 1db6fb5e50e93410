extension String {
    /// One line of at most 500 characters: jsonb takes no U+0000, and other words' bounds are not ours.
    package var oneLine: String {
        let scalars = unicodeScalars.prefix(500).map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
