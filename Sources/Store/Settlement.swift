public import FoundationEssentials

/// Users whose decision or outcome is settled in one transaction, with the rows of the record and the tokens that go.
public struct Settlement: Sendable {
    /// A token that a 410 proved stale.
    public struct StaleToken: Sendable {
        /// Whose device it was.
        public let userID: UUID
        /// The token; never logged.
        public let token: String
        /// `sandbox` or `production`: where the answer came from.
        public let environment: String
        /// The topic that was asked for.
        public let topic: String
        /// Only a registration older than this is deleted. Milliseconds since 1970: Apple's own precision.
        public let unregisteredAt: Int64
        /// The push that was answered so: the token goes only with that row of the record.
        public let apnsID: UUID

        /// All parts.
        public init(
            userID: UUID,
            token: String,
            environment: String,
            topic: String,
            unregisteredAt: Int64,
            apnsID: UUID
        ) {
            self.userID = userID
            self.token = token
            self.environment = environment
            self.topic = topic
            self.unregisteredAt = unregisteredAt
            self.apnsID = apnsID
        }
    }

    /// What the intent must be for the settlement to count.
    public enum Fence: Sendable, Equatable {
        /// There is none: these users were only decided.
        case none
        /// Nobody knows whether it was committed; nothing was written, so it is withdrawn.
        case withdrawn(chunk: Int32)
        /// It must still be open, else another daemon has recorded its pushes as unknown.
        case openIntent(chunk: Int32)

        /// Whether something was written.
        public var isOpen: Bool { if case .openIntent = self { true } else { false } }
    }

    /// The lease under which the users are ours.
    public let leaseID: UUID
    /// The sweep, for the record.
    public let sweepID: UUID
    /// What must hold for the settlement to count.
    public let fence: Fence
    /// The users' rows.
    public var updates: [PersonUpdate]
    /// Rows of the record.
    public var records: [DeliveryRecord]
    /// Messages and reminders that ended: their texts go.
    public var ended: [MessageReference]
    /// What comes after reminders that ended.
    public var continued: [ReminderContinuation]
    /// Tokens that go.
    public var staleTokens: [StaleToken]
    /// Microseconds by which the record's instants are moved: two attempts of one second (a clock that was set back) would else be one row.
    public var tieBreak: Int64 = 0

    /// All parts.
    public init(
        leaseID: UUID,
        sweepID: UUID,
        fence: Fence,
        updates: [PersonUpdate] = [],
        records: [DeliveryRecord] = [],
        ended: [MessageReference] = [],
        continued: [ReminderContinuation] = [],
        staleTokens: [StaleToken] = []
    ) {
        self.leaseID = leaseID
        self.sweepID = sweepID
        self.fence = fence
        self.updates = updates
        self.records = records
        self.ended = ended
        self.continued = continued
        self.staleTokens = staleTokens
    }

    /// The part of it that is about these users.
    public func only(_ updates: [PersonUpdate]) -> Settlement {
        let users = Set(updates.map(\.userID))
        var part = self
        part.updates = updates
        part.records = records.filter { users.contains($0.userID) }
        part.ended = ended.filter { users.contains($0.userID) }
        part.continued = continued.filter { users.contains($0.userID) }
        part.staleTokens = staleTokens.filter { users.contains($0.userID) }
        return part
    }

    /// What the database made of it.
    public struct Result: Sendable, Equatable {
        /// False where the fence held the settlement back.
        public let counted: Bool
        /// Rows that were still ours.
        public let usersSettled: Int
        /// Tokens that no registration had renewed.
        public let tokensDeleted: Int

        /// The same, known to have counted.
        public var counting: Result { Result(counted: true, usersSettled: usersSettled, tokensDeleted: tokensDeleted) }
    }
}
