public import FoundationEssentials
public import Policy
public import TimeZones

/// What a decision or an outcome makes of a user's row. Carried out only while the lease is ours.
public struct PersonUpdate: Sendable, Equatable {
    /// The user.
    public let userID: UUID
    /// The version that was decided on: on another one, `dueAt` is not taken, since a change made the user due already.
    public let version: Int64
    /// When to ask again.
    public var dueAt: Instant
    /// When the policy was asked.
    public var askedAt: Instant
    /// policy.md, `since`.
    public var since: Instant?
    /// Of what sets `since`.
    public var fingerprint: Int64
    /// What was sent and counts.
    public var history: History
    /// JSON of what is left of a nudge, or nil.
    public var retry: String?
    /// The template of the last check-in that counts; nil: the configured words.
    public var template: Int32?

    /// All parts.
    public init(
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
