package import TimeZones

extension ClaimedUser {
    /// The values of a user that a decision or an outcome changes, as in `ClaimedUser`. `nudged forecast` computes a
    /// user's future with them.
    package struct Changes: Sendable {
        package var turn: Int32
        package var since: Instant?
        package var evaluatedAt: Instant?
        package var touchedAt: Instant?
        package var dueAt: Int64
        package var state: UserState
        package var retry: String?
        package var version: Int64
        package var messages: [PendingMessage]
        package var hasMoreMessages: Bool
        package var messagesWakeAt: Instant?
        package var reminders: PendingReminders
    }

    /// The current values, to start from.
    package var changes: Changes {
        Changes(
            turn: turn,
            since: since,
            evaluatedAt: evaluatedAt,
            touchedAt: touchedAt,
            dueAt: dueAt,
            state: state,
            retry: retry,
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
            turn: changes.turn,
            version: changes.version,
            dueAt: changes.dueAt,
            touchedAt: changes.touchedAt,
            since: changes.since,
            evaluatedAt: changes.evaluatedAt,
            state: changes.state,
            retry: changes.retry,
            quarantine: quarantine,
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

    /// The user after a settlement, as `Query.settle` writes it.
    package func settled(_ change: Change) -> ClaimedUser {
        var changes = changes
        changes.turn += 1
        changes.since = [since, change.since].compactMap(\.self).max()
        changes.evaluatedAt = change.evaluatedAt
        if change.version != nil {
            changes.touchedAt = nil
            changes.dueAt = change.dueAt.microseconds
        }
        changes.state = change.state
        changes.retry = change.retry
        changes.messages.removeAll { change.ended.contains($0.id) }
        changes.reminders.end(Set(change.ended), change.continued)
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
