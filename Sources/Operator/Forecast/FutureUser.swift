import APNs
import Core
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// Runs one user forward with the sweep's planner, as if nothing changed and Apple accepted every push.
struct FutureUser {
    let planner: Planner
    let start: Instant
    let end: Instant

    /// After so many evaluations the future ends. No user needs so many in a week. The bound stops a rule that loops.
    var mostEvaluations = 5_000

    func run(_ claimed: ClaimedUser, into tally: inout ForecastTally) {
        var rested: Set<Reason> = []
        var isRead = true
        tally.users += 1
        walk(claimed) { now, plan in
            tally.add(plan, at: now)
            if case .nothing(_, let reason, _) = plan { rested.insert(reason) }
            if case .unreadable = plan { isRead = false }
            return true
        }
        if isRead { for reason in rested { tally.resting[reason, default: 0] += 1 } }
    }

    /// Evaluates the user whenever they are due, until the end, `visit` returns false, or the zone can't be read.
    @discardableResult
    func walk(_ claimed: ClaimedUser, _ visit: (_ now: Instant, _ plan: Plan) -> Bool) -> ClaimedUser {
        // Without the flags that more messages or reminders are stored: those that were read are enough for a forecast.
        var changes = claimed.values
        changes.hasMoreMessages = false
        changes.reminders.isPartial = false
        var user = ClaimedUser(changes)
        for _ in 0..<mostEvaluations {
            let now = max(start, user.dueInstant)
            guard now < end else { break }
            let plan = planner.plan(user, now: now)
            let goesOn = visit(now, plan)
            switch plan {
            case .nothing(let rest, _, _): user = user.settled(rest)
            case .send(let sendPlan, _):
                let accepted = Array(repeating: PushOutcome.accepted, count: sendPlan.pushCount)
                user = user.settled(planner.settle(sendPlan, outcomes: accepted, attemptedAt: now, now: now))
            case .unreadable: return user
            }
            if !goesOn { break }
        }
        return user
    }
}

extension ClaimedUser {
    /// The policy's clock has whole seconds, rounded down. A user who is due within its second is due.
    var dueInstant: Instant {
        let (seconds, rest) = self.dueAt.quotientAndRemainder(dividingBy: 1_000_000)
        return Instant(seconds: rest < 0 ? seconds - 1 : seconds)
    }

    /// Nil if the user is due at one of the database's infinities.
    var knownDue: Instant? { [.max, .min].contains(self.dueAt) ? nil : dueInstant }
}

struct ForecastTally: Sendable, Equatable {
    struct Hour: Sendable, Equatable {
        var pushes: [NudgeKind: Int] = [:]
        var rests: [Reason: Int] = [:]
        var skipped = 0

        var allPushes: Int { pushes.values.reduce(0, +) }
    }

    let start: Instant
    private(set) var hours: [Hour]
    var users = 0
    private(set) var nudges = 0
    /// Users who got nothing at least once. Each counts once for a reason.
    fileprivate(set) var resting: [Reason: Int] = [:]
    private(set) var skipped: [String: Int] = [:]
    private(set) var dropped: [String: Int] = [:]
    var unread = 0
    var unreadable = 0

    init(start: Instant, end: Instant) {
        self.start = start
        hours = Array(repeating: Hour(), count: max(1, Int(Self.hour(end - 1) - Self.hour(start) + 1)))
    }

    private static func hour(_ instant: Instant) -> Int64 { instant.seconds / 3600 }
    func beginning(of place: Int) -> Instant { Instant(seconds: (Self.hour(start) + Int64(place)) * 3600) }
    var pushes: Int { hours.reduce(0) { $0 + $1.allPushes } }
    var pushesByKind: [NudgeKind: Int] { hours.reduce(into: [:]) { $0.merge($1.pushes, uniquingKeysWith: +) } }

    fileprivate mutating func add(_ plan: Plan, at now: Instant) {
        let place = min(max(0, Int(Self.hour(now) - Self.hour(start))), hours.count - 1)
        let skips = plan.records.filter { $0.outcome == .skipped }
        hours[place].skipped += skips.count
        for record in skips { skipped[record.reason ?? "", default: 0] += 1 }
        for record in plan.records where record.outcome == .dropped { dropped[record.reason ?? "", default: 0] += 1 }
        switch plan {
        case .nothing(_, let reason, _): hours[place].rests[reason, default: 0] += 1
        case .send(let sendPlan, _):
            nudges += sendPlan.nudges.count
            for nudge in sendPlan.nudges { hours[place].pushes[nudge.identity.kind, default: 0] += nudge.targets.count }
        case .unreadable: unread += 1
        }
    }

    mutating func add(_ other: ForecastTally) {
        users += other.users
        nudges += other.nudges
        unread += other.unread
        unreadable += other.unreadable
        skipped.merge(other.skipped, uniquingKeysWith: +)
        dropped.merge(other.dropped, uniquingKeysWith: +)
        resting.merge(other.resting, uniquingKeysWith: +)
        for (place, hour) in other.hours.enumerated() where hours.indices.contains(place) {
            hours[place].pushes.merge(hour.pushes, uniquingKeysWith: +)
            hours[place].rests.merge(hour.rests, uniquingKeysWith: +)
            hours[place].skipped += hour.skipped
        }
    }
}

/// The fan-outs in the time of a forecast: the reminders that each member will get if the members stay the same.
struct FutureFanOuts: Sendable {
    private(set) var reminders: [UUID: [PendingReminder]] = [:]
    private(set) var gaps: [String] = []

    /// The most fan-outs, the members of a page, and the most occurrences of one series. They bound the work.
    private static let mostFanOuts = 10_000
    private static let page = 10_000
    private static let mostHours = 1_000

    init() {}

    init(_ reader: SnapshotReader, planner: Planner, start: Instant, end: Instant, only id: UUID? = nil) async throws {
        let fanOuts = try await reader.fanOuts(until: end - 1, limit: Self.mostFanOuts)
        if fanOuts.count == Self.mostFanOuts {
            gaps.append("only the first \(Self.mostFanOuts) reminders for everyone are counted")
        }
        var unread: [(fanOut: DueFanOut, state: String)] = []
        for fanOut in fanOuts {
            let hours = try Self.hours(of: fanOut, planner: planner, start: start, end: end)
            guard !hours.isEmpty else { continue }
            do throws(PostgresError) {
                if let id {
                    if try await reader.isMember(id, of: fanOut) { tell(hours, of: fanOut, to: id) }
                    continue
                }
                // With several occurrences, all are read: members who have the first one still get the later ones.
                var rest: DueFanOut? = hours.count > 1 ? fanOut.after(nil) : fanOut
                while let part = rest {
                    let members = try await reader.members(of: part, limit: Self.page)
                    for member in members { tell(hours, of: fanOut, to: member) }
                    rest = members.count < Self.page ? nil : members.last.map(part.after)
                }
            } catch {
                guard let state = error.sqlState else { throw error }
                unread.append((fanOut, state))
                // query_canceled: the time-out has ended the statement. Each further read would take as long.
                if state == "57014" { break }
            }
        }
        guard let (fanOut, state) = unread.first else { return }
        let count = unread.count == 1 ? "1 reminder" : "\(unread.count) reminders"
        let about = "\(fanOut.reminder.subjectType) \(fanOut.reminder.subjectID), SQLSTATE \(state)"
        let why = "because nudged.subject_member can't be read: correct the view (the first is about \(about))"
        gaps.append("\(count) for everyone can't be counted, \(why)")
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
