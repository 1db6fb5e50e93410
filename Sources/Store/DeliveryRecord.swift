public import FoundationEssentials
public import TimeZones

/// One row of the record, `nudged.delivery`.
public struct DeliveryRecord: Sendable, Equatable {
    /// What became of it. `deferred`: Apple asked to come back later, another row follows.
    public enum Outcome: String, Sendable, CaseIterable {
        case accepted, rejected, deferred, dropped, skipped, unknown
    }

    /// The user.
    public let userID: UUID
    /// `check_in`, `message`, `reminder`.
    public let kind: String
    /// Names the nudge among those of its user and kind: a check-in's slot.
    public let key: String
    /// A check-in's local date.
    public let slot: LocalDate?
    /// 16 hex digits of the token's digest; empty for a slot that went by.
    public let deviceHash: String
    /// The header `apns-id`; nil where nothing was attempted.
    public let apnsID: UUID?
    /// What became of it.
    public let outcome: Outcome
    /// Apple's word, or ours.
    public let reason: String?
    /// Apple's HTTP status, where there was an answer.
    public let status: Int?
    /// The policy's now of the attempt; for a slot that went by, of the decision.
    public let attemptedAt: Instant
    /// What was decided of it beyond the policy, as a JSON object (`Daemon.DecisionVerdict`); nil: nobody was asked.
    public let decision: String?

    /// All parts.
    public init(
        userID: UUID,
        kind: String,
        key: String,
        slot: LocalDate?,
        deviceHash: String,
        apnsID: UUID? = nil,
        outcome: Outcome,
        reason: String? = nil,
        status: Int? = nil,
        attemptedAt: Instant,
        decision: String? = nil
    ) {
        self.userID = userID
        self.kind = kind
        self.key = key
        self.slot = slot
        self.deviceHash = deviceHash
        self.apnsID = apnsID
        self.outcome = outcome
        self.reason = reason
        self.status = status
        self.attemptedAt = attemptedAt
        self.decision = decision
    }
}
