package import Policy
package import TimeZones

/// A row of `nudged.paused`: a kind that is paused, or was resumed while not all users who were held are due yet.
package struct Pause: Sendable, Equatable {
    package let kind: NudgeKind
    /// When sending stopped.
    package let since: Instant
    /// Since when users may have been held who are not due again yet. Earlier than `since` after an interrupted resume.
    package let heldSince: Instant
    /// `user@host`.
    package let byWhom: String
    /// The operator's reason.
    package let reason: String?
    /// When sending was resumed; nil: it is paused.
    package let resumedAt: Instant?
}
