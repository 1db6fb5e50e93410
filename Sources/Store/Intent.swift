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
        /// JSON of what is left of the user's nudges beside these devices, and of what is to be repeated, or nil.
        public let retry: String?
        /// The devices, nudge by nudge.
        public let devices: [Target]

        /// All parts.
        public init(userID: UUID, version: Int64, retry: String?, devices: [Target]) {
            self.userID = userID
            self.version = version
            self.retry = retry
            self.devices = devices
        }
    }

    /// A device that a nudge goes to.
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
        /// Which of the user's nudges it is, counted from 0: messages that go out as one digest are one.
        public let nudge: Int16
        /// Whether the user's history holds the nudge already: another device was answered.
        public let isCounted: Bool
        /// Whether the message or reminder ends here even where it becomes unknown.
        public let ends: Bool
        /// The template of its words; nil: they are of none.
        public let template: Int32?

        /// All parts.
        public init(
            kind: String,
            key: String,
            slot: LocalDate?,
            deviceHash: String,
            apnsID: UUID,
            nudge: Int16 = 0,
            isCounted: Bool = false,
            ends: Bool = false,
            template: Int32? = nil
        ) {
            self.kind = kind
            self.key = key
            self.slot = slot
            self.deviceHash = deviceHash
            self.apnsID = apnsID
            self.nudge = nudge
            self.isCounted = isCounted
            self.ends = ends
            self.template = template
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
    /// What the decisions found to record beside the pushes.
    public let records: [DeliveryRecord]
    /// The messages and reminders that are in it: held against their cancellation until the commit.
    public let messages: [MessageReference]

    /// All parts.
    public init(
        leaseID: UUID,
        number: Int32,
        sweepID: UUID,
        attemptedAt: Instant,
        entries: [Entry],
        records: [DeliveryRecord] = [],
        messages: [MessageReference] = []
    ) {
        self.leaseID = leaseID
        self.number = number
        self.sweepID = sweepID
        self.attemptedAt = attemptedAt
        self.entries = entries
        self.records = records
        self.messages = messages
    }
}
