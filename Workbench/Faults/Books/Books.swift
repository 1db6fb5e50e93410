/// The data of both sides after a run, and the check-ins that were due by a second reading of the policy. Pure values:
/// the comparison uses nothing else.
public struct Books: Sendable {
    /// A push that Apple accepted.
    public struct Accepted: Sendable, Equatable {
        /// The device token.
        public var token: String
        /// The `apns-id` in lower case.
        public var apnsID: String
        /// Milliseconds since 1970.
        public var at: Int64
        /// The user's local minute of the day at that instant, by PostgreSQL's AT TIME ZONE; nil without a zone.
        public var localMinute: Int?

        /// An accepted push.
        public init(token: String, apnsID: String, at: Int64, localMinute: Int? = nil) {
            self.token = token
            self.apnsID = apnsID
            self.at = at
            self.localMinute = localMinute
        }
    }

    /// A nudge that was due, by the second reading of the policy.
    public struct Due: Sendable, Equatable {
        /// The user's id.
        public var user: String
        /// `check_in`, `message`, `reminder`.
        public var kind: String
        /// Identifies the nudge among those of its user and kind. For a check-in it is the slot.
        public var key: String
        /// False if the answer changed during the run. Then it may have been sent or not.
        public var isCertain: Bool

        /// A due nudge.
        public init(user: String, kind: String = "check_in", key: String, isCertain: Bool = true) {
            self.user = user
            self.kind = kind
            self.key = key
            self.isCertain = isCertain
        }
    }

    /// A row of `nudged.delivery`.
    public struct Recorded: Sendable, Equatable {
        /// The user's id.
        public var user: String
        /// `check_in`, `message`, `reminder`.
        public var kind: String
        /// As in `Due`.
        public var key: String
        /// The device; empty for a row of the whole nudge.
        public var deviceHash: String
        /// The `apns-id`; empty if no push was attempted.
        public var apnsID: String
        /// `accepted`, `rejected`, `deferred`, `dropped`, `skipped` or `unknown`.
        public var outcome: String

        /// A row of the record.
        public init(
            user: String,
            kind: String = "check_in",
            key: String,
            deviceHash: String,
            apnsID: String,
            outcome: String
        ) {
            self.user = user
            self.kind = kind
            self.key = key
            self.deviceHash = deviceHash
            self.apnsID = apnsID
            self.outcome = outcome
        }
    }

    /// All users, as seeded.
    public var people: [FaultRecipient] = []
    /// The device hash of each token, by PostgreSQL's own sha256.
    public var hashes: [String: String] = [:]
    /// What was due.
    public var due: [Due] = []
    /// The pushes that Apple accepted, in its order.
    public var accepted: [Accepted] = []
    /// All rows of the record.
    public var record: [Recorded] = []
    /// `apns-id`s that are still open in `nudged.intent` at the end.
    public var open: [String] = []
    /// Tokens that are still in `push_tokens` at the end.
    public var tokensLeft: Set<String> = []
    /// Tokens that Apple answered with 410, whatever the timestamp.
    public var answeredGone: Set<String> = []
    /// Users who are still due at the end.
    public var left: [String] = []

    /// Without any data.
    public init() {}
}
