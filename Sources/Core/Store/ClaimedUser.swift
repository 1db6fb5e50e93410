package import FoundationEssentials
package import Policy
package import TimeZones

/// A claimed user, with everything that the policy reads about them.
///
/// A class, though nothing in it changes: it is passed from list to list, and each copy of a struct would retain a
/// dozen references.
package final class ClaimedUser: Sendable {
    package let userID: UUID
    /// The turn that a settlement of this claim is of.
    package let turn: Int32
    /// The version at the claim. If it has changed, a settlement leaves `due_at` alone.
    package let version: Int64
    /// When they were due, in microseconds since 1970.
    package let dueAt: Int64
    /// The newest change that no decision has seen.
    package let touchedAt: Instant?
    /// When check-ins last became possible or were last rescheduled (docs/POLICY-SPEC.md, `since`).
    package let since: Instant?
    /// When the policy was last evaluated.
    package let evaluatedAt: Instant?
    package let state: UserState
    /// What is left of nudges, as JSON (`Retry`).
    package let retry: String?
    /// What Apple's answers say about the devices, as JSON (`Quarantine`).
    package let quarantine: String?
    /// The text of `notification_preferences`; nil: it is null, or the profile is missing.
    package let preferences: String?
    /// The zone in the profile.
    package let timezone: String?
    package let firstSessionComplete: Bool
    /// The JSON that fills placeholders; nil: none. It may be any JSON, or text that was cut off and is no JSON.
    package let context: String?
    package let devices: [Device]
    /// Those that can be due in some zone. In the user's zone, a wall time may be due later.
    package let messages: [PendingMessage]
    /// Whether more messages wait than were read.
    package let hasMoreMessages: Bool
    /// When the next message that was not read can be due; nil: there is none.
    package let messagesWakeAt: Instant?
    package let reminders: PendingReminders

    package init(
        userID: UUID,
        turn: Int32 = 0,
        version: Int64,
        dueAt: Int64,
        touchedAt: Instant?,
        since: Instant?,
        evaluatedAt: Instant?,
        state: UserState,
        retry: String?,
        quarantine: String? = nil,
        preferences: String?,
        timezone: String?,
        firstSessionComplete: Bool,
        context: String? = nil,
        devices: [Device],
        messages: [PendingMessage] = [],
        hasMoreMessages: Bool = false,
        messagesWakeAt: Instant? = nil,
        reminders: PendingReminders = PendingReminders()
    ) {
        self.userID = userID
        self.turn = turn
        self.version = version
        self.dueAt = dueAt
        self.touchedAt = touchedAt
        self.since = since
        self.evaluatedAt = evaluatedAt
        self.state = state
        self.retry = retry
        self.quarantine = quarantine
        self.preferences = preferences
        self.timezone = timezone
        self.firstSessionComplete = firstSessionComplete
        self.context = context
        self.devices = devices
        self.messages = messages
        self.hasMoreMessages = hasMoreMessages
        self.messagesWakeAt = messagesWakeAt
        self.reminders = reminders
    }

    package var history: History { state.history }
    package var fingerprint: Int64? { state.fingerprint }
    package var template: Int32? { state.template }
}
