package import FoundationEssentials
package import Policy
package import TimeZones

/// A claimed user, with all that the policy reads about them.
///
/// A value, held by reference: it goes from list to list, and a copy would count a dozen references each time.
package final class ClaimedUser: Sendable {
    /// The user.
    package let userID: UUID
    /// The version that is decided on; an intent holds only while it is still this one.
    package let version: Int64
    /// When they were due, in microseconds since 1970: where the next claim goes on.
    package let dueAt: Int64
    /// The newest change that no decision has seen.
    package let touchedAt: Instant?
    /// When their check-ins last became possible or were last rescheduled (docs/POLICY.md, `since`).
    package let since: Instant?
    /// Of what sets `since`; nil: never asked.
    package let fingerprint: Int64?
    /// When the policy was last asked.
    package let askedAt: Instant?
    /// What was sent and counts.
    package let history: History
    /// What is left of a nudge, as JSON (`Retry`).
    package let retry: String?
    /// Devices that Apple refused, as JSON (`Quarantine`).
    package let quarantine: String?
    /// The template of the last check-in that counts; nil: the configured words.
    package let template: Int32?
    /// `notification_preferences` as it is; nil where it is null or the profile is gone.
    package let preferences: String?
    /// The profile's own zone.
    package let timezone: String?
    /// Whether a first session was seen.
    package let firstSessionComplete: Bool
    /// What the app knows of them, to fill words with, as JSON; nil where there is none. Any JSON, or the head of what is too long to be one.
    package let context: String?
    /// Where a push can go.
    package let devices: [Device]
    /// What waits to be said to them.
    package let messages: [PendingMessage]
    /// Whether more waits than was read.
    package let hasMoreMessages: Bool
    /// Hours that were asked for.
    package let reminders: PendingReminders

    package init(
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
