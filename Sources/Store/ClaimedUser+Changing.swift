package import struct FoundationEssentials.UUID
package import Policy
package import TimeZones

extension ClaimedUser {
    /// What a decision or an outcome changes of a user, to make the user of the next question (`nudged forecast`).
    package struct Changes: Sendable {
        /// docs/POLICY.md, `since`.
        package var since: Instant?
        /// Of what sets `since`.
        package var fingerprint: Int64?
        /// When the policy was last asked.
        package var askedAt: Instant?
        /// The newest change that no decision has seen.
        package var touchedAt: Instant?
        /// In microseconds since 1970.
        package var dueAt: Int64
        /// What was sent and counts.
        package var history: History
        /// What is left of a nudge.
        package var retry: String?
        /// The template of the last check-in that counts.
        package var template: Int32?
        /// One more with each change.
        package var version: Int64
        /// What waits to be said to them.
        package var messages: [PendingMessage]
        /// Whether more waits than was read.
        package var hasMoreMessages: Bool
        /// Hours that were asked for.
        package var reminders: PendingReminders
    }

    /// What can change, as it is.
    package var changes: Changes {
        Changes(
            since: since,
            fingerprint: fingerprint,
            askedAt: askedAt,
            touchedAt: touchedAt,
            dueAt: dueAt,
            history: history,
            retry: retry,
            template: template,
            version: version,
            messages: messages,
            hasMoreMessages: hasMoreMessages,
            reminders: reminders
        )
    }

    /// The same user after these.
    package func with(_ changes: Changes) -> ClaimedUser {
        ClaimedUser(
            userID: userID,
            version: changes.version,
            dueAt: changes.dueAt,
            touchedAt: changes.touchedAt,
            since: changes.since,
            fingerprint: changes.fingerprint,
            askedAt: changes.askedAt,
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
            reminders: changes.reminders
        )
    }

    /// As settle_users.sql writes what a decision or an outcome came to.
    ///
    /// - Parameters:
    ///   - ended: messages and reminders that ended.
    ///   - continued: what comes after those reminders.
    package func settled(
        _ update: PersonUpdate,
        ended: Set<UUID>,
        continued: [ReminderContinuation] = []
    ) -> ClaimedUser {
        var changes = changes
        changes.since = [since, update.since].compactMap(\.self).max()
        changes.fingerprint = update.fingerprint
        changes.askedAt = update.askedAt
        changes.touchedAt = nil
        changes.dueAt = update.dueAt.microseconds
        changes.history = update.history
        changes.retry = update.retry
        changes.template = update.template
        changes.messages.removeAll { ended.contains($0.id) }
        changes.reminders.end(ended, continued)
        return with(changes)
    }

    /// What waits in `nudged.touched` for one user.
    struct Touch {
        /// The newest change; nil: something came to be sent, and that is all.
        let changedAt: Instant?
    }

    /// As drain.sql takes it.
    func touched(_ touch: Touch?, now: Instant) -> ClaimedUser {
        guard let touch else { return self }
        var changes = changes
        if let at = touch.changedAt {
            // 0: a newcomer, whose row the drain makes.
            changes.version = changes.version == 0 ? 1 : (changes.version | 0xFFFF_FFFF) + 1
            changes.touchedAt = max(touchedAt ?? at, at)
        } else {
            changes.version += 1
        }
        changes.dueAt = min(dueAt, now.microseconds)
        return with(changes)
    }
}
