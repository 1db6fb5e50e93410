package import Store
package import TimeZones

/// What is to be done with a reminder for everyone whose hour came.
package enum FanOutDecision: Sendable, Equatable {
    /// It does not live any more.
    case drop
    /// A wall time in one zone for all: it comes at that instant.
    case wait(until: Instant)
    /// Everyone is told, in the zones where their wall time comes first long before it does; then this comes after it.
    case tell(next: ReminderContinuation?)
}
