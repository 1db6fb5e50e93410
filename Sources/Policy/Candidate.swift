public import FoundationEssentials
public import NudgedPreferences
public import TimeZones

/// One user and one nudge: all that the policy depends on, except the rules and `now`.
public struct Candidate: Sendable {
    /// The user. All hashes depend on this id.
    public var userID: UUID
    public var paused = false
    public var preferences: Preferences
    /// The profile's zone. Used if the preferences have no valid zone.
    public var timezone: String?
    /// Used for check-ins only.
    public var firstSessionComplete = true
    /// Devices that can get the push.
    public var devices = 1
    /// When this user's check-ins last became possible or were last rescheduled.
    public var since: Instant?
    /// When the app last said that the user was active. nil: unknown.
    public var seen: Instant?
    /// Check-ins that counted as sent since then.
    public var ignored: Int64 = 0
    public var history = History()
    public var nudge: Nudge
    /// The matcher of the preferences' keywords, from a caller that decides about several messages. nil: one is made
    /// for each message.
    package var keywords: KeywordMatcher?
    /// The first valid zone (`Policy.zone(of:)`), from a caller that decides several times. nil: it is looked up.
    package var zone: Zone?
}

extension Candidate {
    public init(userID: UUID, preferences: Preferences, timezone: String? = nil, nudge: Nudge) {
        self.init(userID: userID, paused: false, preferences: preferences, timezone: timezone, nudge: nudge)
    }
}

public enum Nudge: Sendable, Equatable {
    case checkIn
    case message(Message)
    case reminder(Reminder)

    /// Whether it disturbs nobody. Then it counts in no history.
    package var isSilent: Bool { if case .message(let message) = self { message.isSilent } else { false } }
}

public enum NudgeKind: String, Sendable, CaseIterable {
    case checkIn = "check_in"
    case message
    case reminder
}

public struct Message: Sendable, Equatable {
    // Keywords are searched in both.
    public var title: String
    public var body: String
    public var urgent: Bool
    /// It disturbs nobody: it takes something off the screen, or updates what is there.
    public var isSilent = false
    /// The app's name for messages of this kind, which a user can turn off.
    public var category: String?
    /// What is known of its conversation. nil: nothing, or it has none.
    public var conversation: Conversation?
    /// When it was sent to nudged. nil: it may wait for a zone without end.
    public var createdAt: Instant?
    /// From this instant on it is useless. nil: never.
    public var expiresAt: Instant?
    /// It is not sent before this instant. nil: at once.
    public var deliverAt: Instant?
}

extension Message {
    public init(title: String, body: String, urgent: Bool) {
        self.init(title: title, body: body, urgent: urgent, isSilent: false)
    }
}

public struct Conversation: Sendable, Equatable {
    /// Its messages since the user came.
    public var messages: Int64
    public var lastAt: Instant

    public init(messages: Int64, lastAt: Instant) { (self.messages, self.lastAt) = (messages, lastAt) }
}

public struct Reminder: Sendable, Equatable {
    public var dueAt: Instant
    public var expiresAt: Instant?
    /// Whether the recipient chose the time. Then quiet hours do not apply for the first 900 s.
    public var recipientIsAuthor: Bool

    public init(dueAt: Instant, expiresAt: Instant? = nil, recipientIsAuthor: Bool) {
        (self.dueAt, self.expiresAt, self.recipientIsAuthor) = (dueAt, expiresAt, recipientIsAuthor)
    }
}
