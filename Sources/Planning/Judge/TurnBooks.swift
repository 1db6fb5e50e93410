import APNs
import Policy
import Store
import TimeZones

/// Enters the outcomes of a turn, nudge by nudge: what they make of the history, of what is left, and of when to ask again.
struct TurnBooks {
    private let turn: PlannedTurn
    private let attemptedAt: Instant
    private let now: Instant

    private(set) var history: History
    /// The template of the last check-in that counts.
    private(set) var template: Int32?
    private(set) var retries: [Retry]
    private(set) var dueAt: Instant?
    private(set) var records: [DeliveryRecord] = []
    private(set) var ended: [NudgeIdentity] = []
    private(set) var staleTokens: [Settlement.StaleToken] = []

    init(_ turn: PlannedTurn, attemptedAt: Instant, now: Instant) {
        self.turn = turn
        self.attemptedAt = attemptedAt
        self.now = now
        history = turn.candidate.history
        template = turn.template
        retries = turn.others
        dueAt = turn.othersDue
        for retry in turn.others where retry.identity.kind != .checkIn { ask(at: retry.dueAt) }
        if turn.isPartial { ask(at: now) }
    }

    mutating func enter(_ nudge: PlannedNudge, _ outcomes: some Collection<PushOutcome>) {
        var ledger = Ledger(nudge: nudge, userID: turn.userID, attemptedAt: attemptedAt, now: now)
        for (target, outcome) in zip(nudge.targets, outcomes) { ledger.enter(outcome, for: target) }
        records += ledger.records
        staleTokens += ledger.staleTokens

        let counts = nudge.countedAt != nil || ledger.wasAnswered
        let left = nudge.waiting + ledger.left
        let entryAt = nudge.countedAt ?? attemptedAt
        if counts {
            history = history.adding(nudge.identity, at: entryAt)
            if nudge.identity.slot != nil, nudge.countedAt == nil { template = nudge.template }
        } else {
            // Every device was finally rejected: without this, the slot would be due again at once.
            if left.isEmpty, let slot = nudge.identity.slot { history = history.closing(slot) }
            // A cap has room that was counted as taken.
            if turn.othersDue != nil { ask(at: now) }
        }
        guard !left.isEmpty else {
            if nudge.identity.kind != .checkIn { ended += nudge.members }
            return
        }
        // Where nothing at all was written, nothing is left to remember: the nudge is as new.
        let isUntouched =
            !counts && nudge.isFirst && ledger.left.count == nudge.targets.count && !ledger.wasAttempted
        if !isUntouched {
            retries.append(
                nudge.retry(
                    version: turn.version,
                    left: left,
                    wasDelayed: ledger.wasDelayed,
                    countedAt: counts ? entryAt : nil
                )
            )
        }
        guard nudge.identity.kind != .checkIn else { return }
        ask(at: isUntouched ? now + Retry.unsentSeconds : left.map(\.notBefore).min() ?? now)
    }

    private mutating func ask(at instant: Instant) { dueAt = min(dueAt ?? instant, instant) }
}
