import Base
import NudgedPreferences
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// Asks the decision service about nudges that the policy allows, between the planner and the lanes. Urgent users come
/// first. One who waits for an answer delays no other. While the circuit breaker is open, the fallback strategy decides
/// at once. The service gets nothing about a user who does not consent (`smart_enabled`).
actor DecisionStage {
    private typealias Asked = (user: PlannedUser, lane: LaneIdentity)

    private let delivery: DeliveryContext
    private let router: LaneRouter
    private var line = AskingLine<Asked>()

    init(_ router: LaneRouter) {
        self.router = router
        delivery = router.delivery
    }

    /// Takes planned users. Users without a question for the service go to their lane unchanged.
    func take(_ users: [PlannedUser], _ lane: LaneIdentity) async {
        guard let decider = delivery.terms.decider else { return router.append(users, to: lane) }
        var ready: [PlannedUser] = []
        var refused: [PlannedUser] = []
        let (now, most, isResting) = (BootTime.milliseconds(), decider.settings.concurrency, decider.isResting)
        let startBy = now + delivery.terms.settings.leaseMilliseconds / 2
        for user in users {
            guard user.plan.isToBeAsked else {
                // Only the policy decides. Earlier answers are forgotten: a later consent brings none back.
                if user.plan.lacksConsent {
                    delivery.answers.withLock { $0.forget(user.plan.userID, user.plan.nudges.lazy.map { $0.identity }) }
                    user.held.run.count { $0.withoutConsent += 1 }
                }
                ready.append(user)
                continue
            }
            guard !isResting else {
                // Decide at once: a dead service must not slow down the nudges that don't need it.
                if let decided = conclude(user, await outcomes(user, by: nil) ?? [:]) { ready.append(decided) }
                continue
            }
            let isUrgent = user.plan.nudges.contains(where: \.isUrgent)
            if !line.add((user, lane), isUrgent: isUrgent, startBy: startBy, concurrency: most, now: now) {
                refused.append(user)
            }
        }
        putOff(refused)
        router.append(ready, to: lane)
        askNext()
    }

    func askNext() {
        // Without a service, waiting users are let go and planned again.
        let concurrency = delivery.terms.decider?.settings.concurrency ?? .max
        while let step = line.next(concurrency: concurrency, now: BootTime.milliseconds()) {
            switch step {
            case .ask(let asked): Task { await ask(asked) }
            case .putOff(let asked): putOff([asked.user])
            }
        }
    }

    /// Asks no more questions. Users who wait, or whose answer is outstanding, are let go.
    func stop() {
        _ = line.leave()
        if let decider = delivery.terms.decider { Task { await decider.close() } }
    }

    func isAnyonePostponed(at now: Instant) -> Bool { line.backlog.isAnyonePostponed(at: now) }

    // MARK: One user

    private func ask(_ asked: Asked) async {
        // If a reload removed the service, the user is let go and planned again without it.
        if let decider = delivery.terms.decider, let outcomes = await outcomes(asked.user, by: decider),
            !delivery.isHalted, await isUnchanged(asked.user.plan, outcomes),
            let decided = conclude(asked.user, outcomes)
        {
            router.append([decided], to: asked.lane)
        }
        line.end()
        askNext()
    }

    /// What was decided about each nudge. nil: the user is let go. Without a decider, earlier
    /// answers or the fallback decide.
    private func outcomes(_ user: PlannedUser, by decider: Decider?) async -> [NudgeIdentity: DecisionOutcome]? {
        var outcomes: [NudgeIdentity: DecisionOutcome] = [:]
        var budget: AnalysisBudget?
        for nudge in user.plan.nudges where nudge.isToBeAsked {
            guard let question = user.plan.question(nudge) else { continue }
            let now = BootTime.milliseconds()
            if let known = delivery.answers.withLock({ $0.answer(question, nudge.identity, now: now) }) {
                outcomes[nudge.identity] = user.plan.outcome(nudge, by: .success(known))
                continue
            }
            let result = await answer(question, user, decider, &budget)
            if result == .failure(.stopped) { return nil }
            if case .success(let answer) = result {
                let now = BootTime.milliseconds()
                delivery.answers.withLock { $0.remember(answer, to: question, nudge.identity, now: now) }
            }
            outcomes[nudge.identity] = user.plan.outcome(nudge, by: result)
        }
        return outcomes
    }

    /// Whether the user is unchanged since the claim. If the user has changed, the answer stays remembered. Only
    /// declined nudges need this: an intent makes the same check itself. The settlement of a declined nudge makes it
    /// once more. A message that was cancelled meanwhile has its row in the record already.
    private func isUnchanged(_ plan: SendPlan, _ outcomes: [NudgeIdentity: DecisionOutcome]) async -> Bool {
        guard outcomes.values.contains(where: { !$0.shouldNotify }) else { return true }
        guard !delivery.hand.hasChanged(plan.userID), let isTouched = try? await delivery.store.isTouched(plan.userID)
        else { return false }
        return !isTouched && !delivery.hand.hasChanged(plan.userID)
    }

    /// `.stopped` also if the user is erased or withdrew consent, the membership ended, or the database fails.
    private func answer(
        _ question: DecisionQuestion,
        _ user: PlannedUser,
        _ decider: Decider?,
        _ known: inout AnalysisBudget?
    ) async -> DecisionResult {
        guard let decider, !decider.isResting else { return .failure(.resting) }
        guard let now = delivery.clock.now, !delivery.isHalted else { return .failure(.stopped) }
        let (userID, member, store) = (user.plan.userID, user.held.member, delivery.store)
        do throws(PostgresError) {
            if known == nil { known = AnalysisBudget(try await store.analysed(userID, member: member), now: now) }
            guard var budget = known else { return .failure(.stopped) }
            let limit = user.plan.candidate.preferences.maxAnalysesPerHour
            guard budget.allows(limit, now: now) else { return .failure(.overLimit) }
            guard let pass = decider.pass() else { return .failure(.resting) }
            budget.spend(now: now)
            known = budget
            var result: DecisionResult?
            // A pass that ended with the question does not end again.
            defer { if result == nil { decider.giveBack(pass) } }
            // Written before the question is sent, so that it counts even if the daemon dies now.
            if try await store.noteAnalysed(userID, member: member, budget.asked) {
                result = try await store.ask(question, decider, pass)
            }
            return result ?? .failure(.stopped)
        } catch {
            if error.isFenced { delivery.ownership.noteEnd(of: member) }
            delivery.onEvent(.settlementFailed(error: error.description))
            return .failure(.stopped)
        }
    }

    /// The user as they go to their lane. nil: nothing is sent now, and the settlement is on its way.
    private func conclude(_ user: PlannedUser, _ outcomes: [NudgeIdentity: DecisionOutcome]) -> PlannedUser? {
        let held = user.held
        held.run.count { report in
            for outcome in outcomes.values { report.decisions[outcome.kind, default: 0] += 1 }
        }
        let now = delivery.clock.now ?? held.claimedAt
        let planner = delivery.terms.planner
        let plan = user.plan.decided(outcomes, at: now, paused: planner.paused)
        guard plan.nudges.isEmpty else { return PlannedUser(plan: plan, held: held) }
        delivery.answers.withLock { $0.forget(user.plan.userID, user.plan.nudges.lazy.map { $0.identity }) }
        // The planner looked for skipped slots up to the claim's `now`, so that instant is recorded.
        var settled = planner.settle(plan, outcomes: [], attemptedAt: held.claimedAt, now: now)
        settled.isOnlyIfUnchanged = true
        router.settler.add([.rest(settled, held)])
        held.run.count { $0.resting[SendPlan.declinedReason, default: 0] += 1 }
        return nil
    }

    /// Postpones users that the service has no time for, for as long as that has lasted already.
    private func putOff(_ users: [PlannedUser]) {
        guard let member = users.first?.held.member, let now = delivery.clock.now else { return }
        let boot = BootTime.milliseconds()
        let postponements = users.map { line.backlog.postpone($0, now: now, boot: boot) }
        let delivery = delivery
        // The users stay in hand until the postponement is written.
        delivery.hand.errand {
            await delivery.postpone(postponements, member: member)
            withExtendedLifetime(users) {}
        }
    }
}

extension Store {
    /// Asks the service about a user who consents. nil: the user does not, or withdrew the consent meanwhile.
    func ask(_ question: DecisionQuestion, _ decider: Decider, _ pass: CircuitBreaker.Pass?)
        async throws(PostgresError) -> DecisionResult?
    {
        // The last thing before the question leaves. The claim's copy may be many seconds old.
        guard try await consents(question.userID) else { return nil }
        let result = await decider.ask(question, pass)
        // An answer that comes after a withdrawal is neither used nor remembered.
        if case .success = result, try await !consents(question.userID) { return nil }
        return result
    }

    private func consents(_ user: UUID) async throws(PostgresError) -> Bool {
        Preferences(parsing: try await preferences(of: user)).smartEnabled
    }
}

/// Who the decision service is asked about now, who waits, and who has waited too long: urgent users first.
struct AskingLine<User> {
    private typealias Place = (user: User, isUrgent: Bool, startBy: Int64)

    enum Step {
        case ask(User)
        /// The lease would end before an answer comes.
        case putOff(User)
    }

    /// How many users may wait for each question that may run: seconds of work if answers take tens of milliseconds.
    static var waitingForEach: Int { 64 }

    private var line: [Place] = []
    private var running = 0
    /// It is full while more users come than may wait.
    var backlog = Backlog()

    /// False: the line is full. It is twice as long for urgent users. `startBy`: nothing is asked later.
    mutating func add(_ user: User, isUrgent: Bool, startBy: Int64, concurrency: Int, now: Int64) -> Bool {
        let room = concurrency * Self.waitingForEach * (isUrgent ? 2 : 1)
        guard line.count < room else {
            backlog.note(isFull: true, now: now)
            return false
        }
        if line.count < room / 2 { backlog.note(isFull: false, now: now) }
        line.append((user, isUrgent, startBy))
        return true
    }

    /// The next step. nil: nobody waits, or as many questions run as may. Each `.ask` occupies a place until `end`.
    mutating func next(concurrency: Int, now: Int64) -> Step? {
        guard running < concurrency, !line.isEmpty else { return nil }
        let place = line.remove(at: line.firstIndex { $0.isUrgent } ?? 0)
        guard now < place.startBy else {
            backlog.note(isFull: true, now: now)
            return .putOff(place.user)
        }
        running += 1
        return .ask(place.user)
    }

    mutating func end() { running -= 1 }

    mutating func leave() -> [User] {
        defer { line = [] }
        return line.map(\.user)
    }
}
