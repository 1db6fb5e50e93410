public import TimeZones

/// A check-in's slot that went by unsent.
public struct SkippedSlot: Sendable, Hashable {
    /// Why it was not sent.
    public enum Reason: String, Sendable {
        /// Nobody asked in time, or a later slot was served instead.
        case stale
        /// A limit was reached until its end.
        case capped
        /// Quiet hours lasted until its end.
        case quietHours = "quiet_hours"
    }

    /// The local date.
    public let slot: LocalDate
    /// Why.
    public let reason: Reason
    /// When it ended: limit(D).
    public let limit: Instant
}
