package import FoundationEssentials
package import Policy
import Postgres
package import TimeZones

/// A claimed user, with everything that the policy reads about them.
///
/// A class around a constant struct: lists pass it on, and each copy of the struct would retain a dozen references.
@dynamicMemberLookup
package final class ClaimedUser: Sendable {
    package let values: Values

    package init(_ values: Values) { self.values = values }

    package subscript<Value>(dynamicMember path: KeyPath<Values, Value>) -> Value { values[keyPath: path] }

    /// The user after a settlement, as `Query.settle` writes it, for `nudged explain` and `nudged forecast`.
    package func settled(_ change: Change) -> ClaimedUser {
        var after = values
        after.turn += 1
        after.since = [self.since, change.since].compactMap(\.self).max()
        after.evaluatedAt = change.evaluatedAt
        if change.version != nil {
            after.touchedAt = nil
            after.dueAt = change.dueAt.microseconds
        }
        after.state = change.state
        after.ignored = change.ignored
        after.retry = change.retry
        after.messages.removeAll { change.ended.contains($0.id) }
        after.reminders.end(Set(change.ended), change.continued)
        return ClaimedUser(after)
    }

    /// The user after `Query.drain` has taken the touches. `newest`: the newest change; nil: only arrivals.
    func touched(_ newest: Instant?, now: Instant) -> ClaimedUser {
        var after = values
        if let at = newest {
            // Version 0 is a new user. The drain inserts a row with version 1 for them.
            after.version = after.version == 0 ? 1 : (after.version | 0xFFFF_FFFF) &+ 1
            after.touchedAt = max(after.touchedAt ?? at, at)
        } else {
            after.version &+= 1
        }
        after.dueAt = min(after.dueAt, now.microseconds)
        return ClaimedUser(after)
    }

    package struct Values: Sendable {
        package let userID: UUID
        /// The turn that a settlement of this claim is of.
        package var turn: Int32 = 0
        /// The version at the claim. If it has changed, a settlement leaves `due_at` alone.
        package var version: Int64
        /// When they were due, in microseconds since 1970.
        package var dueAt: Int64
        /// The newest change that no decision has seen.
        package var touchedAt: Instant?
        /// When check-ins last became possible or were last rescheduled (docs/POLICY-SPEC.md, `since`).
        package var since: Instant?
        package var evaluatedAt: Instant?
        /// When the app last saw the user; nil: never.
        package var seen: Instant?
        /// Check-ins that counted as sent since then, as of the last settlement (`UserPlanner.ignored`).
        package var ignored: Int16 = 0
        package var state = UserState()
        /// What is left of nudges, as JSON (`Retry`).
        package var retry: String?
        /// What Apple's answers say about the devices, as JSON (`Quarantine`).
        package var quarantine: String?
        /// The text of `notification_preferences`; nil: it is null, or the profile is missing.
        package var preferences: String?
        package var timezone: String?
        package var firstSessionComplete = false
        /// The JSON that fills placeholders; nil: none. It may be any JSON, or text that was cut off and is no JSON.
        package var context: String?
        package var devices: [Device] = []
        /// Tokens of Live Activities, widgets and controls, by the surface. Read if a message may be for one.
        package var surfaces: [String: [Device]] = [:]
        /// Those that can be due in some zone. In the user's zone, a wall time may be due later.
        package var messages: [PendingMessage] = []
        /// Whether more messages wait than were read.
        package var hasMoreMessages = false
        /// When the next message that was not read can be due; nil: there is none.
        package var messagesWakeAt: Instant?
        package var reminders = PendingReminders()

        package var history: History { state.history }
        package var fingerprint: Int64? { state.fingerprint }
        package var template: Int32? { state.template }
    }
}

extension ClaimedUser.Values {
    package init(stranger userID: UUID, version: Int64 = 1) { self.init(userID: userID, version: version, dueAt: 0) }

    /// Reads the user's own row, as `Query.claimPeople`, `Query.readUsers` and `Query.readDue` give it.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        let bytes = try rows.bytesOrNull(row, 9)
        guard let state = bytes.map(UserState.init(bytes:)) ?? UserState() else {
            let detail = bytes.map(UserState.isNewer) == true ? Refusal.newer : "can't be read"
            throw PostgresError(.unexpectedResult, object: "nudged.person.state", detail: detail)
        }
        self.init(
            userID: try rows.uuid(row, 0),
            turn: try rows.int4(row, 1),
            version: try rows.int8(row, 2),
            dueAt: try rows.timestamp(row, 3),
            touchedAt: Instant(microseconds: try rows.timestampOrNull(row, 6)),
            since: Instant(microseconds: try rows.timestampOrNull(row, 5)),
            evaluatedAt: Instant(microseconds: try rows.timestampOrNull(row, 4)),
            ignored: try rows.int2OrNull(row, 10) ?? 0,
            state: state,
            retry: try rows.textOrNull(row, 7),
            quarantine: try rows.textOrNull(row, 8)
        )
    }
}
