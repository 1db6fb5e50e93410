/// The nudge that is asked for.
public enum Nudge: Sendable, Equatable {
    case checkIn
    case message(Message)
    case reminder(Reminder)

    /// Its kind.
    public var kind: NudgeKind {
        switch self {
        case .checkIn: .checkIn
        case .message: .message
        case .reminder: .reminder
        }
    }
}
