import Core
import Policy
import TimeZones

struct FutureSend: Sendable {
    let at: Instant
    let plan: SendPlan

    var devices: Int { Set(plan.nudges.flatMap(\.targets).map(\.hash)).count }
    var lanes: Set<LaneIdentity> { Set(plan.nudges.flatMap(\.targets).map(\.lane)) }
    var kinds: Set<NudgeKind> { Set(plan.nudges.map(\.identity.kind)) }
    var isOne: Bool { plan.nudges.count == 1 }

    /// `a check-in`, `2 messages and a reminder`.
    var text: String {
        var names: [String] = []
        for kind in [NudgeKind.message, .reminder, .checkIn] {
            let many = KindText.plural(kind.rawValue)
            let own = plan.nudges.filter { $0.identity.kind == kind }
            names += own.filter(\.identity.isDigest).map { "a digest of \($0.members.count) messages" }
            let single = own.filter { !$0.identity.isDigest }.count
            if single > 0 { names.append(single == 1 ? "a \(many.dropLast())" : "\(single) \(many)") }
        }
        return names.isEmpty ? "nothing" : names.listed("and")
    }
}

/// What a user gets before and after an instant, if Apple accepts every push and nothing of the user changes.
struct Outlook: Sendable {
    /// How far after the instant it looks. A weekly check-in comes within it.
    static let days: Int64 = 15
    /// Enough for a year of a user who is evaluated every half hour.
    private static let mostEvaluations = 100_000

    let user: ClaimedUser
    let before: [FutureSend]
    /// The first pushes from the instant on. Nil: none in `days`.
    let next: FutureSend?
    /// What a pause holds back, if it would come before `next`.
    let held: FutureSend?
    /// Why no check-in is sent after the instant, as the last evaluation says.
    let reason: Reason?

    init(_ claimed: ClaimedUser, planner: Planner, now: Instant, at: Instant) {
        var sends: [FutureSend] = []
        let until = FutureUser(planner: planner, start: now, end: at, mostEvaluations: Self.mostEvaluations)
        let then = until.walk(claimed) { instant, plan in
            if case .send(let sendPlan, _) = plan { sends.append(FutureSend(at: instant, plan: sendPlan)) }
            return true
        }
        let (first, why) = Self.first(then, planner, from: at)
        (user, before, next) = (then, sends, first)
        guard !planner.paused.isEmpty else {
            (held, reason) = (nil, why)
            return
        }
        var unpaused = planner
        unpaused.paused = []
        // A resume makes the users due who were held.
        let (free, freeWhy) = Self.first(then.due(by: at), unpaused, from: at)
        let isLater = free.map { send in first.map { $0.at <= send.at } ?? false } ?? true
        (held, reason) = (isLater ? nil : free, freeWhy)
    }

    private static func first(_ user: ClaimedUser, _ planner: Planner, from start: Instant) -> (FutureSend?, Reason?) {
        var send: FutureSend?
        var reason: Reason?
        let end = start + days * 86_400
        let future = FutureUser(planner: planner, start: start, end: end, mostEvaluations: mostEvaluations)
        future.walk(user) { instant, plan in
            switch plan {
            case .send(let sendPlan, _): send = FutureSend(at: instant, plan: sendPlan)
            case .nothing(let change, let why, _):
                // A slot that is skipped because of the holdout is followed by a wait for the next one.
                let isHeldOut = change.records.contains { $0.reason == Reason.holdout.rawValue }
                if isHeldOut { reason = .holdout } else if reason != .holdout { reason = why }
            case .unreadable: break
            }
            return send == nil
        }
        return (send, reason)
    }
}

extension ClaimedUser {
    /// As a claim at this instant reads the user: of later messages and reminders only the first one's time is known.
    func claimed(at instant: Instant) -> ClaimedUser {
        var changes = values
        let laterMessages = changes.messages.compactMap(\.wakesAt).filter { $0 > instant }
        changes.messages.removeAll { $0.wakesAt.map { $0 > instant } ?? false }
        changes.messagesWakeAt = (laterMessages + [changes.messagesWakeAt].compactMap(\.self)).min()
        let later = changes.reminders.all.filter { $0.wakesAt > instant }.map(\.wakesAt)
        changes.reminders.all.removeAll { $0.wakesAt > instant }
        changes.reminders.wakesAt = (later + [changes.reminders.wakesAt].compactMap(\.self)).min()
        return ClaimedUser(changes)
    }

    func due(by instant: Instant) -> ClaimedUser {
        var changes = values
        let (microseconds, overflow) = instant.seconds.multipliedReportingOverflow(by: 1_000_000)
        if !overflow { changes.dueAt = min(changes.dueAt, microseconds) }
        return ClaimedUser(changes)
    }
}
