import FoundationEssentials
public import TimeZones

/// A user's reminders as a claim brings them: those that can be due, and when the next one can be.
public struct PendingReminders: Sendable, Equatable {
    /// Those that can be due; a wall time is due later than this, in most zones.
    public var all: [PendingReminder]
    /// When one that was not read can be due; nil: there is none.
    public var wakesAt: Instant?
    /// Whether more can be due than was read.
    public var isPartial: Bool

    /// All parts.
    public init(_ all: [PendingReminder] = [], wakesAt: Instant? = nil, isPartial: Bool = false) {
        self.all = all
        self.wakesAt = wakesAt
        self.isPartial = isPartial
    }

    /// Whether there is nothing.
    public var isEmpty: Bool { all.isEmpty && wakesAt == nil }

    /// Takes a row of a claim.
    ///
    /// - Parameters:
    ///   - until: whoever can be due by then was asked for; microseconds since 1970.
    ///   - limit: how many were asked for.
    mutating func add(_ reminder: PendingReminder, until: Int64, limit: Int) {
        guard reminder.wakesAt.microseconds <= until else {
            wakesAt = min(wakesAt ?? reminder.wakesAt, reminder.wakesAt)
            return
        }
        all.append(reminder)
        if all.count >= limit { isPartial = true }
    }

    /// As settle.sql ends reminders, and puts what comes after them in their place.
    mutating func end(_ ended: Set<UUID>, _ continued: [ReminderContinuation]) {
        let next = continued.compactMap { one in all.first { $0.id == one.id }.map { $0.continued(by: one) } }
        all.removeAll { ended.contains($0.id) }
        all += next
    }
}
