public import struct FoundationEssentials.UUID
public import Policy
public import TimeZones

extension ClaimedUser {
    /// What a decision or an outcome changes of a user, to make the user of the next question (`nudged forecast`).
    public struct Changes: Sendable {
        /// policy.md, `since`.
        public var since: Instant?
        /// Of what sets `since`.
        public var fingerprint: Int64?
        /// When the policy was last asked.
        public var askedAt: Instant?
        /// The newest change that no decision has seen.
        public var touchedAt: Instant?
        /// In microseconds since 1970.
        public var dueAt: Int64
        /// What was sent and counts.
        public var history: History
        /// What is left of a nudge.
        public var retry: String?
        /// One more with each change.
        public var version: Int64
        /// What waits to be said to them.
        public var messages: [PendingMessage]
        /// Whether more waits than was read.
        public var hasMoreMessages: Bool
    }

    /// What can change, as it is.
    public var changes: Changes {
        Changes(
            since: since,
            fingerprint: fingerprint,
            askedAt: askedAt,
            touchedAt: touchedAt,
            dueAt: dueAt,
            history: history,
            retry: retry,
            version: version,
            messages: messages,
            hasMoreMessages: hasMoreMessages
        )
    }

    /// The same user after these.
    public func with(_ changes: Changes) -> ClaimedUser {
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
            preferences: preferences,
            timezone: timezone,
            firstSessionComplete: firstSessionComplete,
            devices: devices,
            messages: changes.messages,
            hasMoreMessages: changes.hasMoreMessages
        )
    }

    /// As settle.sql writes what a decision or an outcome came to.
    ///
    /// - Parameter ended: messages that ended.
    public func settled(_ update: PersonUpdate, ended: Set<UUID>) -> ClaimedUser {
        var changes = changes
        changes.since = [since, update.since].compactMap(\.self).max()
        changes.fingerprint = update.fingerprint
        changes.askedAt = update.askedAt
        changes.touchedAt = nil
        changes.dueAt = update.dueAt.microseconds
        changes.history = update.history
        changes.retry = update.retry
        changes.messages.removeAll { ended.contains($0.id) }
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
