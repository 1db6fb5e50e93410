import FoundationEssentials
package import TimeZones

/// A user's reminders as a claim brings them: those that can be due, and when the next one can be.
package struct PendingReminders: Sendable, Equatable {
    /// Those that can be due; a wall time is due later than this, in most zones.
    package var all: [PendingReminder]
    /// When one that was not read can be due; nil: there is none.
    package var wakesAt: Instant?
    /// Whether more can be due than was read.
    package var isPartial: Bool

    package init(_ all: [PendingReminder] = [], wakesAt: Instant? = nil, isPartial: Bool = false) {
        self.all = all
        self.wakesAt = wakesAt
        self.isPartial = isPartial
    }

    /// Whether there is nothing.
    package var isEmpty: Bool { all.isEmpty && wakesAt == nil }

    /// Takes a row of a claim; rows come in the order of their wakesAt.
    ///
    /// - Parameters:
    ///   - until: whoever can be due by then was asked for; microseconds since 1970.
    ///   - limit: how many are taken, of instants and of wall times.
    mutating func add(_ reminder: PendingReminder, until: Int64, limit: Int) {
        guard reminder.wakesAt.microseconds <= until else {
            wakesAt = min(wakesAt ?? reminder.wakesAt, reminder.wakesAt)
            return
        }
        // Instants and wall times apart: many of one must not stand before the other.
        if all.lazy.filter({ $0.due.isLocal == reminder.due.isLocal }).count < limit { all.append(reminder) }
        if all.count >= limit { isPartial = true }
    }

    /// As end_reminders.sql ends reminders, and puts what comes after them in their place.
    mutating func end(_ ended: Set<UUID>, _ continued: [ReminderContinuation]) {
        let next = continued.compactMap { one in all.first { $0.id == one.id }.map { $0.continued(by: one) } }
        all.removeAll { ended.contains($0.id) }
        all += next
    }
}
