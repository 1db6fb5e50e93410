public import FoundationEssentials
public import TimeZones

/// Users whose decision or outcome is settled in one transaction, with the rows of the record and the tokens that go.
public struct Settlement: Sendable {
    /// A token that a 410 proved stale.
    public struct StaleToken: Sendable {
        public let userID: UUID
        public let token: String
        public let environment: String
        public let topic: String
        /// Only a registration older than this is deleted.
        public let unregisteredAt: Instant

        public init(userID: UUID, token: String, environment: String, topic: String, unregisteredAt: Instant) {
            self.userID = userID
            self.token = token
            self.environment = environment
            self.topic = topic
            self.unregisteredAt = unregisteredAt
        }
    }

    /// What the intent must be for the settlement to count.
    public enum Fence: Sendable, Equatable {
        /// There is none, or it is withdrawn: nothing was written.
        case none(chunk: Int32)
        /// It must still be open, else another daemon has recorded its pushes as unknown.
        case openIntent(chunk: Int32)
    }

    public let leaseID: UUID
    public let sweepID: UUID
    public let fence: Fence
    public var updates: [PersonUpdate]
    public var records: [DeliveryRecord]
    public var staleTokens: [StaleToken]

    public init(
        leaseID: UUID,
        sweepID: UUID,
        fence: Fence,
        updates: [PersonUpdate] = [],
        records: [DeliveryRecord] = [],
        staleTokens: [StaleToken] = []
    ) {
        self.leaseID = leaseID
        self.sweepID = sweepID
        self.fence = fence
        self.updates = updates
        self.records = records
        self.staleTokens = staleTokens
    }

    /// What the database made of it.
    public struct Result: Sendable, Equatable {
        /// False where the fence held the settlement back.
        public let counted: Bool
        public let usersSettled: Int
        public let tokensDeleted: Int
    }
}
