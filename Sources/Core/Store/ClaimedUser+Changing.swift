package import struct FoundationEssentials.UUID
package import Policy
package import TimeZones

extension ClaimedUser {
    /// The values of a user that a decision or an outcome changes, as in `ClaimedUser`. `nudged forecast` computes a
    /// user's future with them.
    package struct Changes: Sendable {
        package var since: Instant?
        package var fingerprint: Int64?
        package var evaluatedAt: Instant?
        package var touchedAt: Instant?
        package var dueAt: Int64
        package var history: History
        package var retry: String?
        package var template: Int32?
        package var version: Int64
        package var messages: [PendingMessage]
        package var hasMoreMessages: Bool
        package var messagesWakeAt: Instant?
        package var reminders: PendingReminders
    }

    /// The current values, to start from.
    package var changes: Changes {
        Changes(
            since: since,
            fingerprint: fingerprint,
            evaluatedAt: evaluatedAt,
            touchedAt: touchedAt,
            dueAt: dueAt,
            history: history,
            retry: retry,
            template: template,
            version: version,
            messages: messages,
            hasMoreMessages: hasMoreMessages,
            messagesWakeAt: messagesWakeAt,
            reminders: reminders
        )
    }

    /// A copy of the user with these values.
    package func with(_ changes: Changes) -> ClaimedUser {
        ClaimedUser(
            userID: userID,
            version: changes.version,
            dueAt: changes.dueAt,
            touchedAt: changes.touchedAt,
            since: changes.since,
            fingerprint: changes.fingerprint,
            evaluatedAt: changes.evaluatedAt,
            history: changes.history,
            retry: changes.retry,
            quarantine: quarantine,
            template: changes.template,
            preferences: preferences,
            timezone: timezone,
            firstSessionComplete: firstSessionComplete,
            context: context,
            devices: devices,
            messages: changes.messages,
            hasMoreMessages: changes.hasMoreMessages,
            messagesWakeAt: changes.messagesWakeAt,
            reminders: changes.reminders
        )
    }

    /// The user after a settlement, as `Query.settleUsers` writes it.
    ///
    /// - Parameters:
    ///   - ended: messages and reminders that ended.
    ///   - continued: the next occurrences of those reminders.
    package func settled(
        _ update: PersonUpdate,
        ended: Set<UUID>,
        continued: [ReminderContinuation] = []
    ) -> ClaimedUser {
        var changes = changes
        changes.since = [since, update.since].compactMap(\.self).max()
        changes.fingerprint = update.fingerprint
        changes.evaluatedAt = update.evaluatedAt
        changes.touchedAt = nil
        changes.dueAt = update.dueAt.microseconds
        changes.history = update.history
        changes.retry = update.retry
        changes.template = update.template
        changes.messages.removeAll { ended.contains($0.id) }
        changes.reminders.end(ended, continued)
        return with(changes)
    }

    /// The touches of one user in `nudged.touched`.
    struct Touch {
        /// The newest change; nil: something new is to be sent, and nothing else changed.
        let changedAt: Instant?
    }

    /// The user after `Query.drain` has taken the touches.
    func touched(_ touch: Touch?, now: Instant) -> ClaimedUser {
        guard let touch else { return self }
        var changes = changes
        if let at = touch.changedAt {
            // Version 0 is a new user. The drain inserts a row with version 1 for them.
            changes.version = changes.version == 0 ? 1 : (changes.version | 0xFFFF_FFFF) &+ 1
            changes.touchedAt = max(touchedAt ?? at, at)
        } else {
            changes.version &+= 1
        }
        changes.dueAt = min(dueAt, now.microseconds)
        return with(changes)
    }
}
