extension String {
    /// Whether a phone would show nothing of it: white space and what is invisible, or nothing at all (in SQL: nudged.is_blank).
    var isBlank: Bool {
        unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format: true
            default: scalar.properties.isWhitespace
            }
        }
    }
}
