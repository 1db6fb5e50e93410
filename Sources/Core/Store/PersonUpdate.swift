package import FoundationEssentials
package import Policy
package import TimeZones

/// What a decision or an outcome writes to a user's row. It is written only while the membership lasts.
package struct PersonUpdate: Sendable, Equatable {
    package let userID: UUID
    /// The version that was decided on. If it has changed, `dueAt` is not written: the change has made the user due.
    package let version: Int64
    /// When to evaluate the user again.
    package var dueAt: Instant
    /// When the policy was evaluated.
    package var evaluatedAt: Instant
    /// docs/POLICY.md, `since`.
    package var since: Instant?
    /// A hash of what sets `since`.
    package var fingerprint: Int64
    package var history: History
    /// What is left of nudges, as JSON, or nil.
    package var retry: String?
    /// The template of the last check-in that counts; nil: the configured text.
    package var template: Int32?
    /// What the policy says of the user's check-ins now. For people who ask why; the daemon does not read it.
    package var reason: Reason?
    /// `evaluatedAt` as the claim read it. If the row holds a later one, the settlement is late and changes nothing.
    package var stamp = Stamp.unchecked
    /// Whether nothing is written if the user has changed since `version`: for declined nudges, which have no intent
    /// that would check it.
    package var isOnlyIfUnchanged = false

    /// When the user was evaluated before.
    package enum Stamp: Sendable, Equatable {
        /// Not compared.
        case unchecked
        /// nil: never.
        case at(Instant?)
    }

    package init(
        userID: UUID,
        version: Int64,
        dueAt: Instant,
        evaluatedAt: Instant,
        since: Instant?,
        fingerprint: Int64,
        history: History,
        retry: String? = nil,
        template: Int32? = nil,
        reason: Reason? = nil
    ) {
        self.userID = userID
        self.version = version
        self.dueAt = dueAt
        self.evaluatedAt = evaluatedAt
        self.since = since
        self.fingerprint = fingerprint
        self.history = history
        self.retry = retry
        self.template = template
        self.reason = reason
    }
}

extension Int64 {
    /// The upper half of a person's version: it counts changes to what a decision depends on. The lower half counts
    /// arrivals since then (something new to send). They make the user due and stop nothing.
    package var changes: Int64 { self >> 32 }
}
