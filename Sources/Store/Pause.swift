package import Policy
package import TimeZones

/// A row of `nudged.paused`: a kind that is held, or was resumed while not everyone who was held is due yet.
package struct Pause: Sendable, Equatable {
    /// What is held.
    package let kind: NudgeKind
    /// When sending stopped.
    package let since: Instant
    /// Since when users may have been held whom no resume has made due yet.
    package let heldSince: Instant
    /// `user@host`.
    package let byWhom: String
    /// Why, in the operator's words.
    package let words: String?
    /// When sending went on; nil: it is paused.
    package let resumedAt: Instant?

    package init(
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
