public import TimeZones

/// Something that someone asked to be told at an hour.
public struct Reminder: Sendable, Equatable {
    /// The hour.
    public var dueAt: Instant
    /// From when on it is of no use; nil = never.
    public var expiresAt: Instant?
    /// Whether the one who is reminded chose the hour: then quiet hours do not apply for the first 900 s.
    public var recipientIsAuthor: Bool

    /// A reminder.
    public init(dueAt: Instant, expiresAt: Instant? = nil, recipientIsAuthor: Bool) {
        self.dueAt = dueAt
        self.expiresAt = expiresAt
        self.recipientIsAuthor = recipientIsAuthor
    }
}
