import Policy
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Reminders for everyone that come in the time of a forecast: what each member will have, if nobody comes and nobody leaves.
struct FutureSpreads: Sendable {
    /// By member.
    private(set) var reminders: [UUID: [PendingReminder]] = [:]

    /// Spreads that are looked at, members of a page, hours of one series: more nobody draws.
    private static let mostSpreads = 10_000
    private static let page = 10_000
    private static let mostHours = 1_000

    init() {}

    /// Reads them as the sweep would.
    init(_ reader: SnapshotReader, judge: Judge, start: Instant, end: Instant) async throws {
        for spread in try await reader.spreads(until: end - 1, limit: Self.mostSpreads) {
            let hours = try Self.hours(of: spread, judge: judge, start: start, end: end)
            var rest: DueSpread? = hours.isEmpty ? nil : spread
            while let part = rest {
                let members = try await reader.members(of: part, limit: Self.page)
                for member in members { add(hours.map { $0.told(to: member) }, for: member) }
                rest = members.count < Self.page ? nil : members.last.map(part.after)
            }
        }
    }

    mutating func add(_ hours: [PendingReminder], for member: UUID) { reminders[member, default: []] += hours }

    /// Its hours that are spread before the end.
    static func hours(
        of spread: DueSpread,
        judge: Judge,
        start: Instant,
        end: Instant
    ) throws(TimeZoneError) -> [PendingReminder] {
        var hours: [PendingReminder] = []
        var spread = spread
        for _ in 0..<mostHours {
            let now = max(start, spread.reminder.wakesAt)
            guard now < end else { break }
            switch try judge.decide(spread, now: now) {
            case .drop: return hours
            case .wait(let instant):
                guard instant < end, case .tell(let next) = try judge.decide(spread, now: instant) else { return hours }
                hours.append(spread.reminder)
                guard let next else { return hours }
                spread = spread.continued(by: next)
            case .tell(let next):
                hours.append(spread.reminder)
                guard let next else { return hours }
                spread = spread.continued(by: next)
            }
        }
        return hours
    }

    /// Whoever has some of them, with theirs; each once.
    mutating func take(for users: [ClaimedUser]) -> [ClaimedUser] {
        guard !reminders.isEmpty else { return users }
        return users.map { user in
            guard let own = reminders.removeValue(forKey: user.userID), let first = own.map(\.wakesAt).min() else {
                return user
            }
            var changes = user.changes
            changes.reminders.all += own
            let (due, overflow) = first.seconds.multipliedReportingOverflow(by: 1_000_000)
            if !overflow { changes.dueAt = min(changes.dueAt, due) }
            return user.with(changes)
        }
    }
}
