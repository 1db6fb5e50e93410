/// Apple's log and the database after a run, and what was due by the reference policy. Only these are compared.
struct Books: Sendable {
    struct Accepted: Sendable, Equatable {
        var token: String
        /// The `apns-id` in lower case.
        var apnsID: String
        /// Milliseconds since 1970.
        var at: Int64
        /// The user's local minute of the day at that instant, by PostgreSQL's AT TIME ZONE; nil without a zone.
        var localMinute: Int?
    }

    /// A nudge that was due, by the second reading of the policy.
    struct Due: Sendable, Equatable {
        var user: String
        /// `check_in`, `message`, `reminder`.
        var kind = "check_in"
        /// Identifies the nudge among those of its user and kind. For a check-in it is the slot.
        var key: String
        /// False if the answer changed during the run. Then it may have been sent or not.
        var isCertain = true
    }

    struct Recorded: Sendable, Equatable {
        var user: String
        var kind: String
        var key: String
        /// The device; empty for a row of the whole nudge.
        var deviceHash: String
        /// The `apns-id`; empty if no push was attempted.
        var apnsID: String
        /// `accepted`, `rejected`, `deferred`, `dropped`, `skipped` or `unknown`.
        var outcome: String
    }

    var people: [FaultRecipient] = []
    var hashes: [String: String] = [:]
    var due: [Due] = []
    var accepted: [Accepted] = []
    var record: [Recorded] = []
    /// `apns-id`s that are still open in `nudged.intent` at the end.
    var open: [String] = []
    var tokensLeft: Set<String> = []
    var answeredGone: Set<String> = []
    var left: [String] = []
    /// When each user is due next, and why: for messages.
    var next: [String: String] = [:]
}

/// What a fault may cause.
struct Allowance: Sendable, Equatable {
    /// Pushes (`apns-id`) in intents that were open when their daemon was killed. They must become `unknown`.
    var openAtKill: Set<String> = []
    /// Pushes (`apns-id`) that were in flight while the whole machine stood still. They may be `unknown`: their answers
    /// or their daemon's lease may have been too late.
    var stoodStill: Set<String> = []
    /// How many more may be `unknown`: a connection to Apple was cut, or an answer was held back.
    var further = 0
    /// Tokens that the script itself deleted from `push_tokens`.
    var tokensTaken: Set<String> = []
    /// Pushes (`apns-id`) that the record may lack: a restored backup, an erased user, a standby that was behind.
    var recordLost: Set<String> = []
    /// Users whose data the script changed. Only limits and quiet hours from before must hold for them.
    var changed: Set<String> = []

    var unknown: Int { openAtKill.union(stoodStill).count + further }
}

/// A broken promise (docs/GUARANTEES.md).
enum Breach: String, Sendable, CaseIterable {
    /// A due nudge that was neither accepted nor recorded as rejected, dropped, skipped or unknown.
    case lost
    case doubled
    case overLimit = "over a limit"
    case quiet = "in quiet hours"
    /// A token was deleted without a 410 that allows it.
    case wronglyDeleted = "wrongly deleted"
    case unknownBeyond = "unknown without reason"
    /// A push was open when its daemon was killed, but is not recorded as unknown.
    case notUnknown = "open at the kill, not unknown"
    case notDue = "not due"
    /// Apple accepted a push that the record doesn't have, or the other way round.
    case misrecorded
    case leftOpen = "intent left open"
    case leftDue = "left due"
}
