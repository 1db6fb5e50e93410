package import FoundationEssentials
import JSON
package import TimeZones

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
    /// The user whose row ended.
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
        let subject: Fields = [
            "user_id": userID.uuidString.lowercased(), "id": id.uuidString.lowercased(), "planned_local": planned.iso,
            "number": number,
        ]
        return subject + Self.fields("first", first) + Self.fields("due", due)
    }

    private static func fields(_ name: String, _ hour: PendingReminder.Due) -> Fields {
        switch hour {
        case .at(let instant): ["\(name)_at": instant.rfc3339]
        case .local(let time): ["\(name)_local": time.iso]
        }
    }
}

extension PendingReminder {
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
