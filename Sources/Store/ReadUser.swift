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
        /// Whether the history holds the nudge already; nil: an older daemon's intent, which had entered all of it.
        let isCounted: Bool?
        /// Which of the user's nudges it is: messages of a digest are one.
        let nudge: Int16
        /// Whether the message ends with it.
        let ends: Bool
        /// The template of its words.
        let template: Int32?
    }

    /// As a claim would bring them: waiting changes are taken into account, and what is being sent counts as sent.
    public var user: ClaimedUser
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
        self.user = Self.recovered(user, intents, leaseID)
    }

    /// As recover.sql enters it: an intent counts from its commit.
    private static func recovered(_ user: ClaimedUser, _ intents: [OpenIntent], _ leaseID: UUID?) -> ClaimedUser {
        var changed = user.changes
        let ended = Set(intents.filter(\.ends).compactMap { UUID(uuidString: $0.key) })
        changed.messages.removeAll { ended.contains($0.id) }
        let ours = intents.filter { $0.leaseID == leaseID }
        if let first = ours.first, ours.contains(where: { $0.isCounted != nil }) { changed.retry = first.retry }
        // A nudge counts once, whatever its devices.
        var seen: Set<Int16> = []
        for intent in ours where intent.isCounted == false && seen.insert(intent.nudge).inserted {
            if intent.slot != nil { changed.template = intent.template }
            changed.history =
                intent.slot.map { changed.history.adding(CheckIn(at: intent.attemptedAt, slot: $0)) }
                ?? changed.history.adding(sent: intent.attemptedAt)
        }
        return user.with(changed)
    }
}
