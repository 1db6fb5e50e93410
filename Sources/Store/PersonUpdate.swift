public import FoundationEssentials
public import Policy
public import TimeZones

/// What a decision or an outcome makes of a user's row. Carried out only while the lease is ours.
public struct PersonUpdate: Sendable, Equatable {
    public let userID: UUID
    /// The version that was decided on: on another one, `dueAt` is not taken, since a change made the user due already.
    public let version: Int64
    public var dueAt: Instant
    public var askedAt: Instant
    public var since: Instant?
    public var fingerprint: Int64
    public var history: History
    /// JSON of what is left of a nudge, or nil.
    public var retry: String?

    public init(
        userID: UUID,
        version: Int64,
        dueAt: Instant,
        askedAt: Instant,
        since: Instant?,
        fingerprint: Int64,
        history: History,
        retry: String? = nil
    ) {
        self.userID = userID
        self.version = version
        self.dueAt = dueAt
        self.askedAt = askedAt
        self.since = since
        self.fingerprint = fingerprint
        self.history = history
        self.retry = retry
    }
}
