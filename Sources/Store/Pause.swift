public import Policy
public import TimeZones

/// A row of `nudged.paused`: a kind that is held, or was resumed while not everyone who was held is due yet.
public struct Pause: Sendable, Equatable {
    /// What is held.
    public let kind: NudgeKind
    /// When sending stopped.
    public let since: Instant
    /// Since when users may have been held whom no resume has made due yet.
    public let heldSince: Instant
    /// `user@host`.
    public let byWhom: String
    /// Why, in the operator's words.
    public let words: String?
    /// When sending went on; nil: it is paused.
    public let resumedAt: Instant?

    /// All parts.
    public init(
        kind: NudgeKind,
        since: Instant,
        heldSince: Instant,
        byWhom: String,
        words: String?,
        resumedAt: Instant?
    ) {
        self.kind = kind
        self.since = since
        self.heldSince = heldSince
        self.byWhom = byWhom
        self.words = words
        self.resumedAt = resumedAt
    }
}
