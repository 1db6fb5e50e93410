import Core
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// The fan-outs in the time of a forecast: the reminders that each member will get if the members stay the same.
struct FutureFanOuts: Sendable {
    private(set) var reminders: [UUID: [PendingReminder]] = [:]
    private(set) var gaps: [String] = []

    /// The most fan-outs, the members of a page, and the most occurrences of one series. They bound the work.
    private static let mostFanOuts = 10_000
    private static let page = 10_000
    private static let mostHours = 1_000

    init() {}

    /// Reads the fan-outs as a sweep would. If the app's view can't be read, `gaps` says what is missing.
    ///
    /// - Parameter user: only this user's reminders. Nil: those of all users.
    init(_ reader: SnapshotReader, planner: Planner, start: Instant, end: Instant, only user: UUID? = nil) async throws
    {
        let fanOuts = try await reader.fanOuts(until: end - 1, limit: Self.mostFanOuts)
        if fanOuts.count == Self.mostFanOuts {
            gaps.append("only the first \(Self.mostFanOuts) reminders for everyone are counted")
        }
        var unread: [(fanOut: DueFanOut, state: String)] = []
        for fanOut in fanOuts {
            let hours = try Self.hours(of: fanOut, planner: planner, start: start, end: end)
            guard !hours.isEmpty else { continue }
            do throws(PostgresError) {
                try await read(reader, fanOut, hours, only: user)
            } catch {
                guard let state = error.sqlState else { throw error }
                unread.append((fanOut, state))
                // query_canceled: the time-out has ended the statement. Each further read would take as long.
                if state == "57014" { break }
            }
        }
        if let first = unread.first {
            gaps.append(
                "\(unread.count == 1 ? "1 reminder" : "\(unread.count) reminders") for everyone can't be counted, "
                    + "because nudged.subject_member can't be read: correct the view (the first is about "
                    + "\(first.fanOut.reminder.subjectType) \(first.fanOut.reminder.subjectID), "
                    + "SQLSTATE \(first.state))"
            )
        }
    }

    private mutating func read(
        _ reader: SnapshotReader,
        _ fanOut: DueFanOut,
        _ hours: [PendingReminder],
        only user: UUID?
    ) async throws(PostgresError) {
        if let user {
            if try await reader.isMember(user, of: fanOut) { tell(hours, of: fanOut, to: user) }
            return
        }
        // With several occurrences, all members are read: those who have the first one still get the later ones.
        var rest: DueFanOut? = hours.count > 1 ? fanOut.after(nil) : fanOut
        while let part = rest {
            let members = try await reader.members(of: part, limit: Self.page)
            for member in members { tell(hours, of: fanOut, to: member) }
            rest = members.count < Self.page ? nil : members.last.map(part.after)
        }
    }

    /// - Parameter hours: the fan-out's own occurrence, then the later ones of its series.
    mutating func tell(_ hours: [PendingReminder], of fanOut: DueFanOut, to member: UUID) {
        let hasFirst = fanOut.after.map { member <= $0 } ?? false
        let coming = hasFirst ? hours.dropFirst() : hours[...]
        if !coming.isEmpty { add(coming.map { $0.told(to: member) }, for: member) }
    }

    mutating func add(_ hours: [PendingReminder], for member: UUID) { reminders[member, default: []] += hours }

    static func hours(
        of fanOut: DueFanOut,
        planner: Planner,
        start: Instant,
        end: Instant
    ) throws(TimeZoneError) -> [PendingReminder] {
        var hours: [PendingReminder] = []
        var fanOut = fanOut
        for _ in 0..<mostHours {
            let now = max(start, fanOut.reminder.wakesAt)
            guard now < end else { break }
            var decision = try planner.decide(fanOut, now: now)
            if case .wait(let instant) = decision, instant < end { decision = try planner.decide(fanOut, now: instant) }
            guard case .tell(let next) = decision else { return hours }
            hours.append(fanOut.reminder)
            guard let next else { return hours }
            fanOut = fanOut.continued(by: next)
        }
        return hours
    }

    /// The users with their reminders to come, which are removed from `reminders`. So each reminder is used once.
    mutating func take(for users: [ClaimedUser]) -> [ClaimedUser] {
        guard !reminders.isEmpty else { return users }
        return users.map { user in
            guard let own = reminders.removeValue(forKey: user.userID), let first = own.map(\.wakesAt).min() else {
                return user
            }
            var changes = user.values
            changes.reminders.all += own
            return ClaimedUser(changes).due(by: first)
        }
    }
}
