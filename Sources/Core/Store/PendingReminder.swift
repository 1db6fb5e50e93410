package import FoundationEssentials
import JSON
import Postgres
package import TimeZones

/// A time at which a user is to be told of something: a row of `nudged.occurrence`.
package struct PendingReminder: Sendable, Equatable {
    /// Each occurrence of a series has its own id.
    package var id: UUID
    package let reminderID: UUID
    package let authorID: UUID
    package let subjectType: String
    package let subjectID: String
    /// May be empty, as may the body.
    package let title: String
    package let body: String
    /// How the phone shows it: a JSON object without `data`; nil: nothing is set.
    package var apns: String?
    /// A JSON object of members beside `aps`, without `conversation_id` and `domain`; nil: none.
    package var data: String?
    /// The conversation that a tap opens, as the app wrote it.
    package var conversationID: String?
    /// The app's own grouping of conversations.
    package var domain: String?
    package var due: Due
    /// One zone for all recipients; nil: each recipient's own.
    package var timezone: String?
    /// Whether the recipient chose the time (docs/POLICY-SPEC.md, `recipient_is_author`).
    package var isOwn: Bool
    /// Its place in a series; nil: it comes once.
    package var series: Series?
    /// When a backup was restored: what was due before may have been sent already.
    package var restoredAt: Instant?
    /// The row's `wakes_at` if it is not that of `due`.
    var wakesAtAsStored: Instant?
    /// Whether the reminder was cancelled or replaced.
    package var isCancelled = false

    package var wakesAt: Instant { wakesAtAsStored ?? due.earliest }

    package enum Due: Sendable, Equatable {
        /// The same instant for all recipients.
        case at(Instant)
        /// A wall time, in `timezone` or in the recipient's own zone.
        case local(LocalDateTime)

        /// Reads an instant, or a wall time as if in UTC; nil: both are null.
        init?(_ rows: Rows, _ row: Int, at: Int, local: Int) throws(PostgresError) {
            if let time = try rows.nearest(row, local) {
                self = .local(LocalDateTime(asUTC: time))
            } else if let instant = try rows.nearest(row, at) {
                self = .at(instant)
            } else {
                return nil
            }
        }

        var isLocal: Bool { if case .local = self { true } else { false } }

        /// The earliest instant at which it can be due in any zone. None is further ahead than UTC+14.
        package var earliest: Instant { instant(offset: 14) }

        /// The latest one: no zone is further behind than UTC-12.
        package var latest: Instant { instant(offset: -12) }

        private func instant(offset hours: Int64) -> Instant {
            switch self {
            case .at(let instant): instant
            case .local(let time): time.asUTC - hours * 3600
            }
        }
    }

    /// An occurrence's place in its series.
    package struct Series: Sendable, Equatable {
        /// A rule of RFC 5545, as `Recurrence` reads it.
        package let rule: String
        /// From 1.
        package let number: Int
        package let first: Due
        /// The wall time of this occurrence by the rule, which a snooze doesn't change; nil: that of `first`.
        package let planned: LocalDateTime?
    }

    /// A fan-out's row for one of its members, for `nudged forecast`. The database chooses the real id.
    package func told(to member: UUID) -> PendingReminder {
        var told = self
        told.id = UUID.random()
        told.isOwn = member == authorID
        told.series = nil
        told.wakesAtAsStored = nil
        return told
    }

    /// The row of the next occurrence, for `nudged forecast`. The database chooses the real id.
    package func continued(by next: ReminderContinuation) -> PendingReminder {
        var continued = self
        continued.id = UUID.random()
        continued.due = next.due
        continued.series = series.map {
            Series(rule: $0.rule, number: next.number, first: next.first, planned: next.planned)
        }
        continued.restoredAt = nil
        continued.wakesAtAsStored = nil
        return continued
    }
}

extension PendingReminder {
    /// Columns of `Query.claimReminders` before the last, which says whether it is a fan-out.
    static let columns = 23

    /// Reads a row of `Query.claimReminders` or `Query.dueFanOuts`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        // A check of the table makes sure that one of the two is there.
        let missing = Due.at(Instant(seconds: 0))
        var series: Series?
        if let rule = try rows.textOrNull(row, 12) {
            series = Series(
                rule: rule,
                number: Int(try rows.int4(row, 13)),
                first: try Due(rows, row, at: 14, local: 15) ?? missing,
                planned: try rows.nearest(row, 16).map(LocalDateTime.init(asUTC:))
            )
        }
        let (due, wakesAt) = (try Due(rows, row, at: 8, local: 9) ?? missing, try rows.nearest(row, 18))
        self.init(
            id: try rows.uuid(row, 1),
            reminderID: try rows.uuid(row, 2),
            authorID: try rows.uuid(row, 3),
            subjectType: try rows.text(row, 4),
            subjectID: try rows.text(row, 5),
            title: try rows.text(row, 6),
            body: try rows.text(row, 7),
            apns: try rows.textOrNull(row, 19),
            data: try rows.textOrNull(row, 20),
            conversationID: try rows.textOrNull(row, 21),
            domain: try rows.textOrNull(row, 22),
            due: due,
            timezone: try rows.textOrNull(row, 10),
            isOwn: try rows.boolOrNull(row, 11) ?? false,
            series: series,
            restoredAt: try rows.nearest(row, 17),
            wakesAtAsStored: wakesAt == due.earliest ? nil : wakesAt
        )
    }
}

/// A user's reminders as a claim reads them: those that can be due, and when the next one can be.
package struct PendingReminders: Sendable, Equatable {
    /// Reminders that can be due. In most zones a wall time is due later than this.
    package var all: [PendingReminder] = []
    /// When the next reminder that was not read can be due; nil: there is none.
    package var wakesAt: Instant?
    /// Whether more reminders can be due than were read.
    package var isPartial = false

    package var isEmpty: Bool { all.isEmpty && wakesAt == nil }

    /// Adds a row of a claim, if it can be due until an instant (microseconds since 1970): up to so many instants and
    /// many wall times. Rows come in the order of `wakesAt`.
    mutating func add(_ reminder: PendingReminder, until: Int64, limit: Int) {
        guard reminder.wakesAt.microseconds <= until else {
            wakesAt = min(wakesAt ?? reminder.wakesAt, reminder.wakesAt)
            return
        }
        // Counted apart: many wall times must not displace instants, nor many instants wall times.
        if all.lazy.filter({ $0.due.isLocal == reminder.due.isLocal }).count < limit { all.append(reminder) }
        if all.count >= limit { isPartial = true }
    }

    /// Ends reminders and adds the next ones of their series, as `Query.endReminders` does.
    mutating func end(_ ended: Set<UUID>, _ continued: [ReminderContinuation]) {
        let next = continued.compactMap { one in all.first { $0.id == one.id }.map { $0.continued(by: one) } }
        all.removeAll { ended.contains($0.id) }
        all += next
    }
}

/// The next occurrence in the series of a reminder that ended.
package struct ReminderContinuation: Sendable, Equatable {
    package let userID: UUID
    /// The row that ended.
    package let id: UUID
    package let number: Int
    package let first: PendingReminder.Due
    /// The next one's wall time by the rule.
    package let planned: LocalDateTime
    package let due: PendingReminder.Due
    /// The same as an instant, in the zone in which it was computed.
    package let instant: Instant

    /// An array of objects, for `Query.endReminders`; nil: there are none.
    static func json(_ continuations: [ReminderContinuation]) -> String? {
        continuations.isEmpty ? nil : continuations.map(\.fields).document
    }

    private var fields: Fields {
        let (user, id) = (userID.uuidString.lowercased(), self.id.uuidString.lowercased())
        let subject: Fields = ["user_id": user, "id": id, "planned_local": planned.iso, "number": number]
        return subject + Self.fields("first", first) + Self.fields("due", due)
    }

    private static func fields(_ name: String, _ hour: PendingReminder.Due) -> Fields {
        switch hour {
        case .at(let instant): ["\(name)_at": instant.rfc3339]
        case .local(let time): ["\(name)_local": time.iso]
        }
    }
}
