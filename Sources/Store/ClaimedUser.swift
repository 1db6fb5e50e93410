public import FoundationEssentials
public import Policy
public import TimeZones

/// A leased user with all that the policy asks about them: what a claim's statements say of them.
///
/// A value, held by reference: it goes from list to list, and a copy would count a dozen references each time.
public final class ClaimedUser: Sendable {
    /// The user.
    public let userID: UUID
    /// The version that is decided on; an intent holds only while it is still this one.
    public let version: Int64
    /// When they were due, in microseconds since 1970: where the next claim goes on.
    public let dueAt: Int64
    /// The newest change that no decision has seen.
    public let touchedAt: Instant?
    /// When their check-ins last became possible or were last rescheduled (policy.md, `since`).
    public let since: Instant?
    /// Of what sets `since`; nil: never asked.
    public let fingerprint: Int64?
    /// When the policy was last asked.
    public let askedAt: Instant?
    /// What was sent and counts.
    public let history: History
    /// What is left of a nudge, as JSON (`Daemon.Retry`).
    public let retry: String?
    /// Devices that Apple refused, as JSON (`Daemon.Quarantine`).
    public let quarantine: String?
    /// The template of the last check-in that counts; nil: the configured words.
    public let template: Int32?
    /// `notification_preferences` as it is; nil where it is null or the profile is gone.
    public let preferences: String?
    /// The profile's own zone.
    public let timezone: String?
    /// Whether a first session was seen.
    public let firstSessionComplete: Bool
    /// What the app knows of them, to fill words with, as JSON; nil where there is none. Any JSON, or the head of what is too long to be one.
    public let context: String?
    /// Where a push can go.
    public let devices: [Device]
    /// What waits to be said to them.
    public let messages: [PendingMessage]
    /// Whether more waits than was read.
    public let hasMoreMessages: Bool
    /// Hours that were asked for.
    public let reminders: PendingReminders

    /// All parts.
    public init(
        userID: UUID,
        version: Int64,
        dueAt: Int64,
        touchedAt: Instant?,
        since: Instant?,
        fingerprint: Int64?,
        askedAt: Instant?,
        history: History,
        retry: String?,
        quarantine: String? = nil,
        template: Int32? = nil,
        preferences: String?,
        timezone: String?,
        firstSessionComplete: Bool,
        context: String? = nil,
        devices: [Device],
        messages: [PendingMessage] = [],
        hasMoreMessages: Bool = false,
        reminders: PendingReminders = PendingReminders()
    ) {
        self.userID = userID
        self.version = version
        self.dueAt = dueAt
        self.touchedAt = touchedAt
        self.since = since
        self.fingerprint = fingerprint
        self.askedAt = askedAt
        self.history = history
        self.retry = retry
        self.quarantine = quarantine
        self.template = template
        self.preferences = preferences
        self.timezone = timezone
        self.firstSessionComplete = firstSessionComplete
        self.context = context
        self.devices = devices
        self.messages = messages
        self.hasMoreMessages = hasMoreMessages
        self.reminders = reminders
    }
}
