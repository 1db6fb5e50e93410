extension String {
    /// One line of at most 500 Unicode scalars. Control characters become spaces, since jsonb can't hold U+0000. Text
    /// from outside may be longer.
    package var oneLine: String {
        let scalars = unicodeScalars.prefix(500).map { $0.properties.generalCategory == .control ? " " : $0 }
        return String(String.UnicodeScalarView(scalars))
    }
}
