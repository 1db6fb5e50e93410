/// The nudge to decide about.
public enum Nudge: Sendable, Equatable {
    case checkIn
    case message(Message)
    case reminder(Reminder)

    /// The nudge's kind.
    public var kind: NudgeKind {
        switch self {
        case .checkIn: .checkIn
        case .message: .message
        case .reminder: .reminder
        }
    }
}
