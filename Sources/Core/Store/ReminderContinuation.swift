package import FoundationEssentials
import JSON
package import TimeZones

/// The next occurrence in the series of a reminder that ended.
package struct ReminderContinuation: Sendable, Equatable {
    /// The user whose row ended.
    package let userID: UUID
    /// The row that ended.
    package let id: UUID
    /// The next one's place in the series.
    package let number: Int
    /// When the series' first occurrence is due.
    package let first: PendingReminder.Due
    /// The next one's wall time by the rule.
    package let planned: LocalDateTime
    /// When the next one is due.
    package let due: PendingReminder.Due
    /// The same as an instant, in the zone in which it was computed.
    package let instant: Instant

    /// An array of objects, for `Query.endReminders` and `Query.fanOutFinish`; nil: there are none.
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
    /// The row of the next occurrence, for `nudged forecast`. The id is random, since the database chooses the real
    /// one.
    package func continued(by next: ReminderContinuation) -> PendingReminder {
        PendingReminder(
            id: UUID.random(),
            reminderID: reminderID,
            authorID: authorID,
            subjectType: subjectType,
            subjectID: subjectID,
            title: title,
            body: body,
            members: members,
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
