public import TimeZones

/// A slot of a check-in that passed unsent.
public struct SkippedSlot: Sendable, Hashable {
    /// Why it was not sent.
    public enum Reason: String, Sendable {
        /// The user was not evaluated in time, or a later slot was used.
        case stale
        /// A cap was reached until its end.
        case capped
        /// Quiet hours lasted until its end.
        case quietHours = "quiet_hours"
    }

    /// The slot's local date.
    public let slot: LocalDate
    /// Why it was not sent.
    public let reason: Reason
    /// When it ended: limit(D).
    public let limit: Instant
}
