public import FoundationEssentials
public import NudgedPreferences
public import TimeZones

/// One user and one nudge: all that the policy depends on, except the rules and `now`.
public struct Candidate: Sendable {
    /// The user. All hashes depend on this id.
    public var userID: UUID
    /// Whether this kind of nudge is paused.
    public var paused: Bool
    /// The user's preferences.
    public var preferences: Preferences
    /// The profile's zone. Used if the preferences have no valid zone.
    public var timezone: String?
    /// Used for check-ins only.
    public var firstSessionComplete: Bool
    /// Devices that can get the push.
    public var devices: Int
    /// When this user's check-ins last became possible or were last rescheduled.
    public var since: Instant?
    /// What was sent.
    public var history: History
    /// The nudge to decide about.
    public var nudge: Nudge
    /// The matcher of the preferences' keywords, from a caller that decides about several messages. nil: one is made
    /// for each message.
    package var keywords: KeywordMatcher?

    /// Creates a candidate.
    public init(
        userID: UUID,
        paused: Bool = false,
        preferences: Preferences,
        timezone: String? = nil,
        firstSessionComplete: Bool = true,
        devices: Int = 1,
        since: Instant? = nil,
        history: History = History(),
        nudge: Nudge
    ) {
        self.userID = userID
        self.paused = paused
        self.preferences = preferences
        self.timezone = timezone
        self.firstSessionComplete = firstSessionComplete
        self.devices = devices
        self.since = since
        self.history = history
        self.nudge = nudge
    }
}
