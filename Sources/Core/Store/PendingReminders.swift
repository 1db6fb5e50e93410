import FoundationEssentials
package import TimeZones

/// A user's reminders as a claim reads them: those that can be due, and when the next one can be.
package struct PendingReminders: Sendable, Equatable {
    /// Reminders that can be due. In most zones a wall time is due later than this.
    package var all: [PendingReminder]
    /// When the next reminder that was not read can be due; nil: there is none.
    package var wakesAt: Instant?
    /// Whether more reminders can be due than were read.
    package var isPartial: Bool

    package init(_ all: [PendingReminder] = [], wakesAt: Instant? = nil, isPartial: Bool = false) {
        self.all = all
        self.wakesAt = wakesAt
        self.isPartial = isPartial
    }

    package var isEmpty: Bool { all.isEmpty && wakesAt == nil }

    /// Adds a row of a claim. Rows come in the order of `wakesAt`.
    ///
    /// - Parameters:
    ///   - until: reminders that can be due by then are added; microseconds since 1970.
    ///   - limit: how many instants, and how many wall times, are added.
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
