package import FoundationEssentials
package import Policy
package import TimeZones

/// What a decision or an outcome makes of a user's row. It is written only if the membership has not ended.
package struct PersonUpdate: Sendable, Equatable {
    /// The user.
    package let userID: UUID
    /// The version that was decided on: on another one, `dueAt` is not taken, since a change made the user due already.
    package let version: Int64
    /// When to ask again.
    package var dueAt: Instant
    /// When the policy was asked.
    package var askedAt: Instant
    /// docs/POLICY.md, `since`.
    package var since: Instant?
    /// Of what sets `since`.
    package var fingerprint: Int64
    /// What was sent and counts.
    package var history: History
    /// JSON of what is left of a nudge, or nil.
    package var retry: String?
    /// The template of the last check-in that counts; nil: the configured words.
    package var template: Int32?
    /// What the claim read of `askedAt`; a settlement on another one, which took effect late, changes nothing.
    package var stamp = Stamp.unchecked

    /// When the user had been evaluated before.
    package enum Stamp: Sendable, Equatable {
        /// Whatever it is.
        case unchecked
        /// nil: never.
        case at(Instant?)
    }

    package init(
        userID: UUID,
        version: Int64,
        dueAt: Instant,
        askedAt: Instant,
        since: Instant?,
        fingerprint: Int64,
        history: History,
        retry: String? = nil,
        template: Int32? = nil
    ) {
        self.userID = userID
        self.version = version
        self.dueAt = dueAt
        self.askedAt = askedAt
        self.since = since
        self.fingerprint = fingerprint
        self.history = history
        self.retry = retry
        self.template = template
    }
}

extension Int64 {
    /// Of a person's version, the upper half: how often something changed that a decision is made on. The lower half counts what came to be sent since then:
    /// that makes the user due, and stops nothing that was decided before.
    package var changes: Int64 { self >> 32 }
}
