public import TimeZones

/// Something that a user is reminded of at a chosen time.
public struct Reminder: Sendable, Equatable {
    /// When it is due.
    public var dueAt: Instant
    /// From this instant on it is useless. nil: never.
    public var expiresAt: Instant?
    /// Whether the recipient chose the time. Then quiet hours do not apply for the first 900 s.
    public var recipientIsAuthor: Bool

    /// Creates a reminder.
    public init(dueAt: Instant, expiresAt: Instant? = nil, recipientIsAuthor: Bool) {
        self.dueAt = dueAt
        self.expiresAt = expiresAt
        self.recipientIsAuthor = recipientIsAuthor
    }
}
