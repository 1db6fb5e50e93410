public import FoundationEssentials
public import NudgedKit
public import TimeZones

/// One user and one nudge: everything that the policy may look at, but for the rules and `now`.
public struct Candidate: Sendable {
    /// The user; seed of every deterministic spread.
    public var userID: UUID
    /// Whether the kill switch holds this kind.
    public var paused: Bool
    /// The user's preferences.
    public var preferences: Preferences
    /// The profile's own zone, used where the preferences name none that is valid.
    public var timezone: String?
    /// Asked for check-ins only.
    public var firstSessionComplete: Bool
    /// Deliverable tokens.
    public var devices: Int
    /// When this user's check-ins last became possible or were last rescheduled.
    public var since: Instant?
    /// What was sent.
    public var history: History
    /// What is asked for.
    public var nudge: Nudge

    /// A candidate.
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
