/// What is to be done with a nudge.
public enum Action: String, Sendable {
    /// Send it now.
    case send
    /// Ask again at `nextAt`, not before.
    case wait
    /// Only an outside change can make it sendable.
    case hold
    /// Never; messages and reminders only.
    case drop
}
