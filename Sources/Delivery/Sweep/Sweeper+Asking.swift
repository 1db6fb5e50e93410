import Configuration
import Planning
import Policy
import Postgres
import Store
import TimeZones

import struct FoundationEssentials.UUID

/// Between judging and the lanes' feeds: what the rules let go is asked of the decision service. Beside the claims: who waits for an answer holds up nobody else.
extension Sweeper {
    /// A user who is asked, with their place in the sweep.
    struct AskedTurn: Sendable {
        let turn: PlannedTurn
        let lane: LaneIdentity
        let batch: Batch
        let run: SweepRun
    }

    /// Takes those who are to be asked; returns the others, who go to their lane as they are.
    func enlist(_ turns: [PlannedTurn], _ batch: Batch, _ run: SweepRun, _ lane: LaneIdentity) -> [PlannedTurn] {
        guard let decider else { return turns }
        var ready: [PlannedTurn] = []
        var refused: [PlannedTurn] = []
        let now = BootTime.milliseconds()
        let isResting = decider.isResting
        var declined = Settlement(leaseID: batch.leaseID, sweepID: run.id, fence: .none)
        for turn in turns {
            guard turn.isToBeAsked else {
                ready.append(turn)
                continue
            }
            let user = AskedTurn(turn: turn, lane: lane, batch: batch, run: run)
            guard !isResting else {
                // At once: a dead service must not slow down what goes without it.
                if let decided = conclude(user, fallbacks(turn), &declined) { ready.append(decided) }
                continue
            }
            let isTaken = asking.add(
                user,
                isUrgent: turn.nudges.contains(where: \.isUrgent),
                startBy: batch.leaseEnd - settings.leaseMilliseconds / 2,
                concurrency: decider.settings.concurrency,
                now: now
            )
            if isTaken { hold(user) } else { refused.append(turn) }
        }
        settleBeside(declined, run)
        putOff(refused, batch)
        askNext()
        return ready
    }

    /// Begins as many as may be asked at a time.
    func askNext() {
        // Without a service those who waited for it are given back, and decided anew.
        let concurrency = decider?.settings.concurrency ?? .max
        while let step = asking.next(concurrency: concurrency, now: BootTime.milliseconds()) {
            switch step {
            case .ask(let user): Task { await ask(user) }
            case .putOff(let user):
                putOff([user.turn], user.batch)
                letGo(user)
            }
        }
    }

    /// Nobody is asked any more: those who wait go back, and so do those whose answers are outstanding.
    func stopAsking() {
        for user in asking.leave() {
            Task {
                await giveBack([user.turn.userID], leaseID: user.batch.leaseID)
                letGo(user)
            }
        }
        if let decider { Task { await decider.close() } }
    }

    // MARK: One user

    private func ask(_ user: AskedTurn) async {
        if let verdicts = await verdicts(user), !isHalted, await isStanding(user, verdicts) {
            var declined = Settlement(leaseID: user.batch.leaseID, sweepID: user.run.id, fence: .none)
            if let decided = conclude(user, verdicts, &declined) {
                join(decided, user.batch, user.run, to: user.lane)
            }
            settleBeside(declined, user.run)
        } else {
            await giveBack([user.turn.userID], leaseID: user.batch.leaseID)
        }
        asking.end()
        letGo(user)
        askNext()
    }

    /// What was decided of each nudge; one that there was no time to ask of is left out. nil: the user is to be given back.
    private func verdicts(_ user: AskedTurn) async -> [NudgeIdentity: DecisionVerdict]? {
        var verdicts: [NudgeIdentity: DecisionVerdict] = [:]
        // The service was taken out of the configuration meanwhile: it is decided anew without it.
        guard let decider else { return nil }
        var analyses = Analyses(user)
        for nudge in user.turn.nudges where nudge.isToBeAsked {
            guard let question = user.turn.question(nudge) else { continue }
            if let known = answers.answer(question, nudge.identity, now: BootTime.milliseconds()) {
                verdicts[nudge.identity] = DecisionVerdict(known)
                continue
            }
            guard hasTime(user, decider) else { break }
            switch await answer(question, decider, &analyses) {
            case .success(let answer):
                answers.remember(answer, to: question, nudge.identity, now: BootTime.milliseconds())
                verdicts[nudge.identity] = DecisionVerdict(answer)
            case .failure(.stopped): return nil
            case .failure(let failure): verdicts[nudge.identity] = user.turn.fallback(nudge, because: failure)
            }
        }
        return verdicts
    }

    /// Whether what was asked of is still so. Of what goes the intent's commit asks it; what is declined ends without one, and a message that was cancelled
    /// while the answer was awaited has its row in the record already.
    private func isStanding(_ user: AskedTurn, _ verdicts: [NudgeIdentity: DecisionVerdict]) async -> Bool {
        guard verdicts.values.contains(where: { !$0.shouldNotify }) else { return true }
        let isUnchanged = try? await store.isUnchanged(
            user.turn.userID,
            version: user.turn.version,
            leaseID: user.batch.leaseID
        )
        return isUnchanged ?? false
    }

    /// Whether the lease lasts for an answer and an intent.
    private func hasTime(_ user: AskedTurn, _ decider: Decider) -> Bool {
        let left = user.batch.leaseEnd - BootTime.milliseconds()
        return left > decider.settings.timeout.milliseconds + SweepSettings.marginMilliseconds
    }

    /// How often the user was asked of, as far as it was read.
    private struct Analyses {
        let userID: UUID
        let leaseID: UUID
        let limit: Int
        var budget: AnalysisBudget?

        init(_ user: AskedTurn) {
            userID = user.turn.userID
            leaseID = user.batch.leaseID
            limit = user.turn.candidate.preferences.maxAnalysesPerHour
        }
    }

    /// `.stopped` also where the user is not ours any more, or the database is away.
    private func answer(
        _ question: DecisionQuestion,
        _ decider: Decider,
        _ analyses: inout Analyses
    ) async -> Result<DecisionAnswer, DecisionFailure> {
        guard !decider.isResting else { return .failure(.resting) }
        guard let now = clock.now, !isHalted else { return .failure(.stopped) }
        do throws(PostgresError) {
            if analyses.budget == nil {
                let known = try await store.analysed(analyses.userID, leaseID: analyses.leaseID)
                analyses.budget = known.map { AnalysisBudget($0, now: now) }
            }
            guard var budget = analyses.budget else { return .failure(.stopped) }
            guard budget.allows(analyses.limit, now: now) else { return .failure(.overLimit) }
            guard let pass = decider.pass() else { return .failure(.resting) }
            budget.spend(now: now)
            do throws(PostgresError) {
                // Before the question: who dies now has asked.
                guard try await store.noteAnalysed(analyses.userID, leaseID: analyses.leaseID, budget.asked) else {
                    decider.giveBack(pass)
                    return .failure(.stopped)
                }
            } catch {
                decider.giveBack(pass)
                throw error
            }
            analyses.budget = budget
            return await decider.ask(question, pass)
        } catch {
            onEvent(.settlementFailed(error: error.description))
            return .failure(.stopped)
        }
    }

    /// Of everything that would be asked, while the service is left alone: what it had said before, or the fallback.
    private func fallbacks(_ turn: PlannedTurn) -> [NudgeIdentity: DecisionVerdict] {
        let now = BootTime.milliseconds()
        let asked = turn.nudges.filter(\.isToBeAsked).map { nudge in
            let known = turn.question(nudge).flatMap { answers.answer($0, nudge.identity, now: now) }
            return (nudge.identity, known.map(DecisionVerdict.init) ?? turn.fallback(nudge, because: .resting))
        }
        return Dictionary(asked, uniquingKeysWith: { first, _ in first })
    }

    /// What went, or ended, is not decided again.
    func forgetAnswers(of turn: PlannedTurn) {
        for nudge in turn.nudges { answers.forget(turn.userID, nudge.identity) }
    }

    /// The turn that goes to its lane. nil: nothing is sent now, and the settlement says so.
    private func conclude(
        _ user: AskedTurn,
        _ verdicts: [NudgeIdentity: DecisionVerdict],
        _ settlement: inout Settlement
    ) -> PlannedTurn? {
        for verdict in verdicts.values { user.run.report.verdicts[verdict.kind, default: 0] += 1 }
        let now = clock.now ?? user.batch.now
        let turn = user.turn.decided(verdicts, at: now, paused: judge.paused)
        guard turn.nudges.isEmpty else { return turn }
        forgetAnswers(of: user.turn)
        // Slots were looked at up to the claim's now.
        let settled = judge.settle(turn, outcomes: [], attemptedAt: user.batch.now, now: now)
        settlement.take(settled, of: turn)
        user.run.report.resting[SweepReport.declined, default: 0] += 1
        return nil
    }

    // MARK: Places in the sweep

    /// Their lease is ours, and their sweep goes on, until `letGo`.
    private func hold(_ user: AskedTurn) {
        livingLeases[user.batch.leaseID, default: 0] += 1
        user.run.openPortions += 1
    }

    private func letGo(_ user: AskedTurn) {
        user.run.openPortions -= 1
        retire(user.batch.leaseID)
        finishIfDone(user.run)
        wake()
    }

    /// More are due than the service answers for: they come again later, for as long as that has lasted already.
    private func putOff(_ turns: [PlannedTurn], _ batch: Batch) {
        guard !turns.isEmpty, let now = clock.now else { return }
        let boot = BootTime.milliseconds()
        let crowded = boot - (asking.crowdedSince ?? boot)
        let postponements = turns.map { turn in
            let seed = turn.userID.stableHash &+ UInt64(bitPattern: boot)
            return Postponement(
                userID: turn.userID,
                version: turn.version,
                until: LanePatience.until(now, crowded: crowded, seed: seed)
            )
        }
        let last = postponements.map(\.until).max() ?? now
        asking.asideUntil = max(asking.asideUntil ?? last, last)
        livingLeases[batch.leaseID, default: 0] += 1
        Task {
            // Where the database does not take it, their lease ends by itself.
            try? await store.postpone(postponements, leaseID: batch.leaseID)
            retire(batch.leaseID)
            wake()
        }
    }
}
