package import FoundationEssentials
import Postgres
package import TimeZones

/// An hour at which somebody is to be told of something: a row of `nudged.occurrence`.
package struct PendingReminder: Sendable, Equatable {
    /// Names it; each hour of a series has a name of its own.
    package let id: UUID
    /// The reminder that it is of.
    package let reminderID: UUID
    /// Who set it.
    package let authorID: UUID
    /// What it is about: the kind of thing.
    package let subjectType: String
    /// What it is about: which of them.
    package let subjectID: String
    /// The push's title; may be empty.
    package let title: String
    /// The push's body; may be empty.
    package let body: String
    /// When.
    package let due: Due
    /// The zone for all, instead of each one's own.
    package let timezone: String?
    /// Whether whoever is told chose the hour (docs/POLICY.md, "Reminders").
    package let isOwn: Bool
    /// What comes after it; nil: nothing.
    package let series: Series?
    /// What was due before may have been sent already: a backup was restored.
    package let restoredAt: Instant?
    /// The earliest instant at which it can be due anywhere.
    package let wakesAt: Instant
    /// Whether its reminder does not live any more.
    package var isCancelled: Bool

    /// When it is due.
    package enum Due: Sendable, Equatable {
        /// The same instant for everyone.
        case at(Instant)
        /// A wall time, in some zone.
        case local(LocalDateTime)
    }

    /// A place in a series.
    package struct Series: Sendable, Equatable {
        /// RFC 5545's rule, as `Recurrence` reads it.
        package let rule: String
        /// Counts from 1, the first.
        package let number: Int
        /// The first one's hour.
        package let first: Due
        /// This one's by the rule, which a snooze leaves; nil: the first one's.
        package let planned: LocalDateTime?

        package init(rule: String, number: Int, first: Due, planned: LocalDateTime?) {
            self.rule = rule
            self.number = number
            self.first = first
            self.planned = planned
        }
    }

    package init(
        id: UUID,
        reminderID: UUID,
        authorID: UUID,
        subjectType: String,
        subjectID: String,
        title: String,
        body: String,
        due: Due,
        timezone: String? = nil,
        isOwn: Bool,
        series: Series? = nil,
        restoredAt: Instant? = nil,
        wakesAt: Instant? = nil,
        isCancelled: Bool = false
    ) {
        self.id = id
        self.reminderID = reminderID
        self.authorID = authorID
        self.subjectType = subjectType
        self.subjectID = subjectID
        self.title = title
        self.body = body
        self.due = due
        self.timezone = timezone
        self.isOwn = isOwn
        self.series = series
        self.restoredAt = restoredAt
        self.wakesAt = wakesAt ?? due.earliest
        self.isCancelled = isCancelled
    }
}

extension PendingReminder {
    /// A spread's row for one of its members, for whoever looks ahead: its id, which the database chooses, is nobody's.
    package func told(to member: UUID) -> PendingReminder {
        PendingReminder(
            id: UUID(),
            reminderID: reminderID,
            authorID: authorID,
            subjectType: subjectType,
            subjectID: subjectID,
            title: title,
            body: body,
            due: due,
            timezone: timezone,
            isOwn: member == authorID,
            restoredAt: restoredAt,
            isCancelled: isCancelled
        )
    }
}

extension PendingReminder.Due {
    /// No zone is further ahead than UTC+14 (the column wakes_at).
    private static let furthestAhead: Int64 = 14 * 3600

    var isLocal: Bool { if case .local = self { true } else { false } }

    /// The earliest instant at which it can be anywhere.
    package var earliest: Instant {
        switch self {
        case .at(let instant): instant
        case .local(let time): time.asUTC - Self.furthestAhead
        }
    }
}

extension LocalDateTime {
    /// The instant at which UTC's clock shows it: how wall times travel.
    var asUTC: Instant { Instant(seconds: Int64(date.days) * 86_400 + Int64(secondOfDay)) }

    init(asUTC instant: Instant) {
        let second = (instant.seconds % 86_400 + 86_400) % 86_400
        self.init(LocalDate(days: Int32(clamping: (instant.seconds - second) / 86_400)), secondOfDay: Int(second))
    }
}

extension PendingReminder {
    /// Columns of `claim_reminders.sql` before the last: whether it is a fan-out.
    static let columns = 19

    /// Reads a row of `claim_reminders.sql` or `due_spreads.sql`.
    init(_ rows: Rows, _ row: Int) throws(PostgresError) {
        func instant(_ column: Int) throws(PostgresError) -> Instant? {
            Instant(nearest: try rows.reachableTimestampOrNull(row, column))
        }
        func due(_ at: Int, _ local: Int) throws(PostgresError) -> Due {
            if let time = try instant(local) { return .local(LocalDateTime(asUTC: time)) }
            // One of the two is there (a check of the table's).
            return .at(try instant(at) ?? Instant(seconds: 0))
        }
        var series: Series?
        if let rule = try rows.textOrNull(row, 12) {
            series = Series(
                rule: rule,
                number: Int(try rows.int4(row, 13)),
                first: try due(14, 15),
                planned: try instant(16).map(LocalDateTime.init(asUTC:))
            )
        }
        self.init(
            id: try rows.uuid(row, 1),
            reminderID: try rows.uuid(row, 2),
            authorID: try rows.uuid(row, 3),
            subjectType: try rows.text(row, 4),
            subjectID: try rows.text(row, 5),
            title: try rows.text(row, 6),
            body: try rows.text(row, 7),
            due: try due(8, 9),
            timezone: try rows.textOrNull(row, 10),
            isOwn: try rows.boolOrNull(row, 11) ?? false,
            series: series,
            restoredAt: try instant(17),
            wakesAt: try instant(18)
        )
    }
}
