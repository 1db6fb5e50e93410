/// Both sides' books after a run, and what the policy says by another reading than the daemon's. Pure values: the verdict asks nothing else.
public struct Books: Sendable {
    /// A push that Apple took.
    public struct Accepted: Sendable, Equatable {
        /// The device token.
        public var token: String
        /// In lower case.
        public var apnsID: String
        /// Milliseconds since 1970.
        public var at: Int64
        /// Minutes after midnight of its user's wall clock at that instant, by PostgreSQL's AT TIME ZONE; nil: they have no zone.
        public var localMinute: Int?

        /// All parts.
        public init(token: String, apnsID: String, at: Int64, localMinute: Int? = nil) {
            self.token = token
            self.apnsID = apnsID
            self.at = at
            self.localMinute = localMinute
        }
    }

    /// A nudge that was due, by the independent reading of the policy.
    public struct Due: Sendable, Equatable {
        /// Whose.
        public var user: String
        /// `check_in`, `message`, `reminder`.
        public var kind: String
        /// Names the nudge among those of its user and kind: a check-in's slot.
        public var key: String
        /// False where the answer changed during the run: then it may have been sent or not.
        public var isCertain: Bool

        /// All parts.
        public init(user: String, kind: String = "check_in", key: String, isCertain: Bool = true) {
            self.user = user
            self.kind = kind
            self.key = key
            self.isCertain = isCertain
        }
    }

    /// A row of `nudged.delivery`.
    public struct Recorded: Sendable, Equatable {
        /// Whose.
        public var user: String
        /// `check_in`, `message`, `reminder`.
        public var kind: String
        /// As in `Due`.
        public var key: String
        /// Empty: of the whole nudge.
        public var deviceHash: String
        /// Empty where nothing was attempted.
        public var apnsID: String
        /// `accepted`, `rejected`, `deferred`, `dropped`, `skipped`, `unknown`
        public var outcome: String

        /// All parts.
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

    /// Everyone, as seeded.
    public var people: [Recipient] = []
    /// By token: what the record holds in its place, as PostgreSQL's own sha256 says.
    public var hashes: [String: String] = [:]
    /// What was due.
    public var due: [Due] = []
    /// What Apple took, in its order.
    public var accepted: [Accepted] = []
    /// The record.
    public var record: [Recorded] = []
    /// `apns-id`s in `nudged.intent` at the end.
    public var open: [String] = []
    /// Tokens in `push_tokens` at the end.
    public var tokensLeft: Set<String> = []
    /// Tokens that Apple answered with 410, whatever it said of the instant.
    public var answeredGone: Set<String> = []
    /// Users who are still due at the end.
    public var left: [String] = []

    /// Empty ones.
    public init() {}
}
