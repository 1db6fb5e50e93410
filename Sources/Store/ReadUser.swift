public import struct FoundationEssentials.UUID
import Policy
public import TimeZones

/// A user who was read without being leased.
public struct ReadUser: Sendable {
    /// A device of a nudge that is being sent, or was when its daemon died.
    public struct OpenIntent: Sendable, Equatable {
        /// Of the daemon that sends it.
        public let leaseID: UUID
        /// Whether that daemon may still write it.
        public let isAlive: Bool
        /// The policy's now of the nudge.
        public let attemptedAt: Instant
        /// `check_in`, `message`, `reminder`.
        public let kind: String
        /// Names the nudge among those of its user and kind.
        public let key: String
        /// A check-in's local date.
        public let slot: LocalDate?
        /// 16 hex digits of the token's digest.
        public let deviceHash: String
        let retry: String?
        let isCounted: Bool
    }

    /// As a claim would bring them: waiting changes are taken into account, and what is being sent counts as sent.
    public let user: ClaimedUser
    /// Whoever leases them.
    public let leaseID: UUID?
    /// Until when.
    public let leaseEnd: Instant?
    /// Whether the next sweep makes their row.
    public let isNew: Bool
    /// What is being sent.
    public let intents: [OpenIntent]

    init(user: ClaimedUser, leaseID: UUID?, leaseEnd: Instant?, isNew: Bool, intents: [OpenIntent]) {
        self.leaseID = leaseID
        self.leaseEnd = leaseEnd
        self.isNew = isNew
        self.intents = intents
        // As recover.sql enters it: an intent counts from its commit.
        let ours = intents.filter { $0.leaseID == leaseID }
        guard let first = ours.first else {
            self.user = user
            return
        }
        var changed = user.changes
        changed.retry = first.retry
        if !first.isCounted {
            changed.history =
                first.slot.map { user.history.adding(CheckIn(at: first.attemptedAt, slot: $0)) }
                ?? user.history.adding(sent: first.attemptedAt)
        }
        self.user = user.with(changed)
    }
}
