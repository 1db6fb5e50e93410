import Policy

/// Names of the kinds of nudges for a reader.
enum KindText {
    /// In lower case, such as `check-ins`.
    static func plural(_ kind: String) -> String {
        switch NudgeKind(rawValue: kind) {
        case .checkIn: "check-ins"
        case .message: "messages"
        case .reminder: "reminders"
        case nil: "others"
        }
    }

    /// With a capital letter, such as `Check-ins`.
    static func title(_ kind: String) -> String {
        let text = plural(kind)
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}
