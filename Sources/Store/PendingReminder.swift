public import FoundationEssentials
public import TimeZones

/// An hour at which somebody is to be told of something: a row of `nudged.occurrence`.
public struct PendingReminder: Sendable, Equatable {
    /// Names it; each hour of a series has a name of its own.
    public let id: UUID
    /// The reminder that it is of.
    public let reminderID: UUID
    /// Who set it.
    public let authorID: UUID
    /// What it is about: the kind of thing.
    public let subjectType: String
    /// What it is about: which of them.
    public let subjectID: String
    /// The push's title; may be empty.
    public let title: String
    /// The push's body; may be empty.
    public let body: String
    /// When.
    public let due: Due
    /// The zone for all, instead of each one's own.
    public let timezone: String?
    /// Whether whoever is told chose the hour (policy.md, "Reminders").
    public let isOwn: Bool
    /// What comes after it; nil: nothing.
    public let series: Series?
    /// What was due before may have been sent already: a backup was restored.
    public let restoredAt: Instant?
    /// The earliest instant at which it can be due anywhere.
    public let wakesAt: Instant
    /// Whether its reminder does not live any more.
    public var isCancelled: Bool

    /// When it is due.
    public enum Due: Sendable, Equatable {
        /// The same instant for everyone.
        case at(Instant)
        /// A wall time, in some zone.
        case local(LocalDateTime)
    }

    /// A place in a series.
    public struct Series: Sendable, Equatable {
        /// RFC 5545's rule, as `Recurrence` reads it.
        public let rule: String
        /// Counts from 1, the first.
        public let number: Int
        /// The first one's hour.
        public let first: Due
        /// This one's by the rule, which a snooze leaves; nil: the first one's.
        public let planned: LocalDateTime?

        /// All parts.
        public init(rule: String, number: Int, first: Due, planned: LocalDateTime?) {
            self.rule = rule
            self.number = number
            self.first = first
            self.planned = planned
        }
    }

    /// All parts.
    public init(
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
    public func told(to member: UUID) -> PendingReminder {
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

    /// The earliest instant at which it can be anywhere.
    public var earliest: Instant {
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
