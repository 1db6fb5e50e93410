/// What to do with a nudge.
public enum Action: String, Sendable {
    /// Send it now.
    case send
    /// Evaluate again at `nextAt`, not before.
    case wait
    /// Only a change from outside can make it sendable.
    case hold
    /// Never send it. For messages and reminders only.
    case drop
}
