package import FoundationEssentials
import JSON
package import TimeZones

/// What comes after a reminder that ended: the next hour of its series.
package struct ReminderContinuation: Sendable, Equatable {
    /// Whose row ended.
    package let userID: UUID
    /// The row that ended.
    package let id: UUID
    /// The next one's place in the series.
    package let number: Int
    /// The first one's hour.
    package let first: PendingReminder.Due
    /// The next one's wall time by the rule.
    package let planned: LocalDateTime
    /// When the next one is due.
    package let due: PendingReminder.Due
    /// The instant of that, where it was computed.
    package let instant: Instant

    package init(
        userID: UUID,
        id: UUID,
        number: Int,
        first: PendingReminder.Due,
        planned: LocalDateTime,
        due: PendingReminder.Due,
        instant: Instant
    ) {
        self.userID = userID
        self.id = id
        self.number = number
        self.first = first
        self.planned = planned
        self.due = due
        self.instant = instant
    }

    /// An array of objects, as end_reminders.sql and spread_finish.sql read them; nil: there is nothing.
    static func json(_ continuations: [ReminderContinuation]) -> String? {
        guard !continuations.isEmpty else { return nil }
        var json = JSONWriter()
        json.beginArray()
        for one in continuations { one.write(to: &json) }
        json.endArray()
        return json.string
    }

    private func write(to json: inout JSONWriter) {
        json.beginObject()
        for (name, text) in [
            ("user_id", userID.uuidString.lowercased()), ("id", id.uuidString.lowercased()),
            ("planned_local", planned.iso),
        ] {
            json.key(name)
            json.string(text)
        }
        for (name, hour) in [("first", first), ("due", due)] {
            switch hour {
            case .at(let instant):
                json.key("\(name)_at")
                json.string(instant.rfc3339)
            case .local(let time):
                json.key("\(name)_local")
                json.string(time.iso)
            }
        }
        json.key("number")
        json.int(number)
        json.endObject()
    }
}

extension PendingReminder {
    /// The next one's row, for whoever looks ahead: its id, which the database chooses, is nobody's.
    package func continued(by next: ReminderContinuation) -> PendingReminder {
        PendingReminder(
            id: UUID(),
            reminderID: reminderID,
            authorID: authorID,
            subjectType: subjectType,
            subjectID: subjectID,
            title: title,
            body: body,
            due: next.due,
            timezone: timezone,
            isOwn: isOwn,
            series: series.map {
                Series(rule: $0.rule, number: next.number, first: next.first, planned: next.planned)
            },
            isCancelled: isCancelled
        )
    }
}
