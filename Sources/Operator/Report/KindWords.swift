import Policy

/// Kinds of nudges for a reader.
enum KindWords {
    /// `Check-ins`
    static func plural(_ kind: String) -> String {
        switch NudgeKind(rawValue: kind) {
        case .checkIn: "check-ins"
        case .message: "messages"
        case .reminder: "reminders"
        case nil: "others"
        }
    }

    /// At the head of something.
    static func title(_ kind: String) -> String {
        let words = plural(kind)
        return words.prefix(1).uppercased() + words.dropFirst()
    }
}
