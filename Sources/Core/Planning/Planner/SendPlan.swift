package import Policy
package import TimeZones

package import struct FoundationEssentials.UUID

/// What one user gets now: nudges in order, each counting those before it. They share an intent and a settlement.
/// Immutable, and a class: a struct would count two dozen references each time that a list is copied.
package final class SendPlan: Sendable {
    /// The user as the policy saw them. The history is without the entries of these nudges.
    package let candidate: Candidate
    package var userID: UUID { candidate.userID }
    /// `template`: of the last check-in that counts, without this plan's. `context`: the view's column, as JSON.
    package typealias Row = (turn: Int32, version: Int64, fingerprint: Int64, template: Int32?, context: String?)
    package let row: Row
    /// Nothing more is planned with it: `base` is the history to store, and `history` is not used.
    let draft: PlanDraft
    package let pushCount: Int

    package var nudges: [PlannedNudge] { draft.nudges }
    /// Skipped slots and dropped messages. Written with `evaluatedAt`: the next search for skipped slots starts there.
    package var records: [DeliveryRecord] { draft.records }
    package var ended: [NudgeIdentity] { draft.ended }

    init(_ candidate: consuming Candidate, _ draft: consuming PlanDraft, _ row: Row) {
        candidate.history = draft.base
        // Nothing more is evaluated with it.
        draft.history = draft.base
        pushCount = draft.nudges.reduce(0) { $0 + $1.targets.count }
        self.row = row
        self.candidate = candidate
        self.draft = draft
    }

    package func reference(_ identity: NudgeIdentity) -> MessageReference? {
        identity.rowID.map { MessageReference(userID: userID, id: $0) }
    }

    /// The lane of the first push that a preferred lane can take, else of the first push. nil: no pushes.
    package func lane(preferring isPreferred: (LaneIdentity) -> Bool) -> LaneIdentity? {
        let targets = nudges.lazy.flatMap { $0.targets }
        return (targets.first { isPreferred($0.lane) } ?? targets.first)?.lane
    }

    /// The part for one lane. Devices of other lanes follow under the same answer.
    package func part(for lane: LaneIdentity) -> SendPlan {
        guard nudges.contains(where: { $0.targets.contains { $0.lane != lane } }) else { return self }
        return rebuilt { nudge in
            let own = nudge.targets.filter { $0.lane == lane }
            return own.isEmpty ? nil : nudge.keeping(own, then: nudge.targets.filter { $0.lane != lane })
        }
    }

    package func sends(_ kinds: Set<NudgeKind>) -> Bool {
        !kinds.isEmpty && nudges.contains { kinds.contains($0.identity.kind) }
    }

    /// The nudges whose answers still hold and whose kinds are not paused. The others are evaluated again.
    package func sendable(at now: Instant, paused: Set<NudgeKind>) -> SendPlan {
        func holds(_ nudge: PlannedNudge) -> Bool { nudge.isValid(at: now) && !paused.contains(nudge.identity.kind) }
        return nudges.allSatisfy(holds) ? self : rebuilt { holds($0) ? $0 : nil }
    }

    /// How many of these fit as a whole. A first one with more pushes than fit is split.
    package static func fit(_ plans: some Sequence<SendPlan>, upTo limit: Int) -> (whole: Int, split: SendPlan?) {
        var (whole, room) = (0, limit)
        for plan in plans {
            guard plan.pushCount <= room else { return (whole, whole == 0 ? plan.fitting(room) : nil) }
            whole += 1
            room -= plan.pushCount
        }
        return (whole, nil)
    }

    /// As many nudges as fit. A first one with more devices is split: the others follow under the same answer.
    package func fitting(_ room: Int) -> SendPlan {
        var left = room
        return rebuilt { nudge in
            let count = nudge.targets.count
            defer { left = max(0, left - count) }
            if count <= left { return nudge }
            guard left == room, room > 0 else { return nil }
            return nudge.keeping(Array(nudge.targets.prefix(room)), then: nudge.targets.dropFirst(room))
        }
    }

    /// Replaces each nudge by `change`. Those that it leaves out keep what is left of them and their history.
    func rebuilt(_ change: (PlannedNudge) -> PlannedNudge?) -> SendPlan {
        var kept = draft
        kept.nudges = []
        for nudge in nudges {
            if let changed = change(nudge) {
                kept.nudges.append(changed)
                continue
            }
            kept.isPartial = true
            // A first attempt that is not made leaves no retry.
            if !nudge.isFirst {
                let left = nudge.keeping([], then: nudge.targets).waiting
                kept.retries.append(nudge.retry(row.version, left: left, countedAt: nudge.countedAt))
            }
            if let countedAt = nudge.countedAt { kept.base.add(nudge, at: countedAt) }
        }
        return SendPlan(candidate, kept, row)
    }
}

/// A user's plan while it is built, nudge by nudge.
struct PlanDraft {
    /// The history for the next nudge's evaluation: it counts the nudges before it.
    var history: History
    /// The history to store: without the entries of the nudges that are sent now.
    var base: History
    var nudges: [PlannedNudge] = []
    /// What is left of nudges that are not in the plan.
    var retries: [Retry] = []
    /// The earliest instant at which the answer for a waiting nudge can change. nil: none can change by itself.
    private(set) var dueAt: Instant?
    /// Whether more waits than was read, or more could be sent than is in the plan. Then the user is soon due again.
    var isPartial = false
    var records: [DeliveryRecord] = []
    /// Messages and reminders that end without another push.
    var ended: [NudgeIdentity] = []
    /// The next occurrences of reminders, for when they end.
    var continuations: [NudgeIdentity: ReminderContinuation] = [:]

    init(_ history: History) {
        self.history = history
        base = history
    }

    mutating func send(_ nudge: PlannedNudge, now: Instant) {
        nudges.append(nudge)
        if let countedAt = nudge.countedAt {
            if !nudge.isSilent { base.remove(nudge.identity, at: countedAt) }
        } else if nudge.identity.kind != .checkIn {
            // Nothing is evaluated after a check-in.
            history.add(nudge, at: now)
        }
    }

    mutating func wait(until due: Instant?, retry: Retry? = nil) {
        if let retry { retries.append(retry) }
        if let due { dueAt = min(dueAt ?? due, due) }
    }

    mutating func close(_ slot: LocalDate) {
        history.close(slot)
        base.close(slot)
    }

    /// When to evaluate what waits. If not all was read: now if something made room, else within a minute.
    func nextLook(now: Instant) -> Instant? {
        guard isPartial else { return dueAt }
        let soon = now + 60
        return ended.isEmpty ? min(dueAt ?? soon, soon) : now
    }
}

extension History {
    mutating func add(_ nudge: PlannedNudge, at instant: Instant) {
        if nudge.isSilent { return }
        if let slot = nudge.identity.slot { add(CheckIn(at: instant, slot: slot)) } else { add(sent: instant) }
        // Once, whatever is left of it afterwards.
        guard nudge.badgeIncrement > 0, nudge.countedAt == nil else { return }
        let count = Int64(unseen?.count ?? 0) + Int64(nudge.badgeIncrement)
        unseen = UnseenPushes(count: Int32(clamping: count), lastAt: instant)
    }

    mutating func remove(_ identity: NudgeIdentity, at instant: Instant) {
        if let slot = identity.slot { remove(CheckIn(at: instant, slot: slot)) } else { remove(sent: instant) }
    }
}

extension SendPlan {
    package static let declinedReason = "declined"

    package var isToBeAsked: Bool { nudges.contains(where: \.isToBeAsked) }

    /// Whether a service would be asked about a nudge, if the user consented.
    package var lacksConsent: Bool { !candidate.preferences.smartEnabled && nudges.contains { $0.countedAt == nil } }

    /// The plan after the decisions. A nudge without one, or ended or paused meanwhile, is evaluated again.
    func decided(_ outcomes: [NudgeIdentity: DecisionOutcome], at now: Instant, paused: Set<NudgeKind>) -> SendPlan {
        var rest = draft
        rest.nudges = []
        var going: [NudgeIdentity: PlannedNudge] = [:]
        for nudge in nudges {
            if !nudge.isToBeAsked {
                going[nudge.identity] = nudge
            } else if let outcome = outcomes[nudge.identity], nudge.isValid(at: now),
                !paused.contains(nudge.identity.kind)
            {
                guard outcome.shouldNotify else {
                    rest.records += nudge.members.map { member in
                        let ending: DeliveryRecord.Outcome = member.kind == .checkIn ? .skipped : .dropped
                        var record = DeliveryRecord(userID, member, ending, reason: Self.declinedReason, at: now)
                        record.decision = outcome.json
                        return record
                    }
                    // A check-in's slot is closed. A message or reminder is over.
                    if let slot = nudge.identity.slot { rest.close(slot) } else { rest.ended += nudge.members }
                    continue
                }
                going[nudge.identity] = nudge.decided(outcome, for: candidate)
            }
            rest.nudges.append(nudge)
        }
        // Where something ended, a cap has room again.
        if rest.nudges.count < nudges.count, rest.dueAt != nil { rest.isPartial = true }
        return SendPlan(candidate, rest, row).rebuilt { going[$0.identity] }
    }

    package func question(_ nudge: PlannedNudge) -> DecisionQuestion? {
        guard let text = nudge.text else { return nil }
        return DecisionQuestion(
            kind: nudge.identity.kind,
            userID: userID,
            slot: nudge.identity.slot,
            priority: nudge.isUrgent ? .urgent : .medium,
            title: text.title,
            body: text.body,
            context: RecipientContext(json: row.context).object,
            pauseThresholdSeconds: candidate.preferences.pauseThresholdSeconds,
            activeConversationThreshold: candidate.preferences.activeConversationThreshold
        )
    }

    /// The service's answer about a nudge. Without one, the user's fallback strategy decides.
    package func outcome(_ nudge: PlannedNudge, by result: DecisionResult) -> DecisionOutcome {
        switch result {
        case .success(let answer): return DecisionOutcome(origin: .service, answer: answer)
        case .failure(let failure):
            let (strategy, isMention) = (candidate.preferences.fallbackStrategy, nudge.text?.isMention ?? false)
            let (kind, isUrgent) = (nudge.identity.kind, nudge.isUrgent)
            return .fallback(strategy, kind, isUrgent: isUrgent, isMention: isMention, because: failure)
        }
    }
}
