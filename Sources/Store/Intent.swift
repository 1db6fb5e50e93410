public import FoundationEssentials
public import TimeZones

/// A chunk of pushes that is about to be written: durable before the first byte.
public struct Intent: Sendable {
    /// A user, and what becomes of their row if the daemon dies now.
    public struct Entry: Sendable {
        /// The user.
        public let userID: UUID
        /// The version that was decided on.
        public let version: Int64
        /// Whether the user's history holds the nudge already: another device was answered.
        public let isCounted: Bool
        /// JSON of what is left of the nudge beside these devices, or nil.
        public let retry: String?
        /// The devices of the nudge.
        public let devices: [Target]

        /// All parts.
        public init(userID: UUID, version: Int64, isCounted: Bool, retry: String?, devices: [Target]) {
            self.userID = userID
            self.version = version
            self.isCounted = isCounted
            self.retry = retry
            self.devices = devices
        }
    }

    /// A device that the nudge goes to.
    public struct Target: Sendable {
        /// `check_in`, `message`, `reminder`.
        public let kind: String
        /// Names the nudge among those of its user and kind.
        public let key: String
        /// A check-in's local date.
        public let slot: LocalDate?
        /// 16 hex digits of the token's digest.
        public let deviceHash: String
        /// The header `apns-id`.
        public let apnsID: UUID

        /// All parts.
        public init(kind: String, key: String, slot: LocalDate?, deviceHash: String, apnsID: UUID) {
            self.kind = kind
            self.key = key
            self.slot = slot
            self.deviceHash = deviceHash
            self.apnsID = apnsID
        }
    }

    /// The lease under which the users are ours.
    public let leaseID: UUID
    /// Counts the chunks of a lease.
    public let number: Int32
    /// The sweep, for the record.
    public let sweepID: UUID
    /// The policy's now.
    public let attemptedAt: Instant
    /// The users, whole.
    public let entries: [Entry]

    /// All parts.
    public init(leaseID: UUID, number: Int32, sweepID: UUID, attemptedAt: Instant, entries: [Entry]) {
        self.leaseID = leaseID
        self.number = number
        self.sweepID = sweepID
        self.attemptedAt = attemptedAt
        self.entries = entries
    }
}
