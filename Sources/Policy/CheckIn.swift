public import TimeZones

/// A check-in that counts as sent: its outcome was accepted or unknown.
public struct CheckIn: Sendable, Hashable {
    /// When it was sent.
    public var at: Instant
    /// The user's local date for which it was sent.
    public var slot: LocalDate

    /// Creates a check-in.
    public init(at: Instant, slot: LocalDate) {
        self.at = at
        self.slot = slot
    }
}
