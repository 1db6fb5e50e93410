package import Policy
package import Store
package import TimeZones

package import struct FoundationEssentials.UUID

/// What one user gets now: nudges in the order in which they were decided, each counting those before it. They share an
/// intent and a settlement.
///
/// A value, held by reference: it goes from list to list on its way (claim, lane, flight, settlement), and a copy would
/// count two dozen references each time.
package final class SendPlan: Sendable {
    /// The user as the policy saw them; the history is without these nudges' own entries.
    package let candidate: Candidate
    package let userID: UUID
    package let version: Int64
    package let fingerprint: Int64
    /// The template of the last check-in that counts, these not.
    let template: Int32?
    package let nudges: [PlannedNudge]
    /// What is left of nudges that are not in this plan.
    let others: [Retry]
    /// When the answer for something that waits beside these can change; nil: nothing waits.
    let othersDue: Instant?
    /// Whether more is to be sent than is in here: the user is asked again at once.
    let isPartial: Bool
    /// What the decision found to record (slots that went by, messages that were dropped): recorded with the outcome,
    /// in one with the instant up to which it was looked.
    package let records: [DeliveryRecord]
    /// Messages and reminders that ended without a push.
    package let ended: [NudgeIdentity]
    /// What comes after its reminders, once they end.
    let continuations: [NudgeIdentity: ReminderContinuation]
    /// What the app tells of the user, as JSON (the view's column `context`).
    let context: String?
    /// Pushes.
    package let pushCount: Int

    init(_ subject: Recipient, _ draft: PlanDraft) {
        var candidate = subject.candidate
        candidate.history = draft.base
        self.candidate = candidate
        userID = subject.user.userID
        version = subject.user.version
        fingerprint = subject.fingerprint
        template = subject.user.template
        nudges = draft.nudges
        others = draft.retries
        othersDue = draft.dueAt
        isPartial = draft.isPartial
        records = draft.records
        ended = draft.ended
        continuations = draft.continuations
        context = subject.user.context
        pushCount = nudges.reduce(0) { $0 + $1.targets.count }
    }

    /// A part of another.
    private init(
        _ whole: SendPlan,
        nudges: [PlannedNudge],
        others: [Retry],
        history: History,
        isPartial: Bool,
        records: [DeliveryRecord] = [],
        ended: [NudgeIdentity] = []
    ) {
        var candidate = whole.candidate
        candidate.history = history
        self.candidate = candidate
        userID = whole.userID
        version = whole.version
        fingerprint = whole.fingerprint
        template = whole.template
        self.nudges = nudges
        self.others = others
        othersDue = whole.othersDue
        self.isPartial = isPartial
        self.records = whole.records + records
        self.ended = whole.ended + ended
        continuations = whole.continuations
        context = whole.context
        pushCount = nudges.reduce(0) { $0 + $1.targets.count }
    }

    /// The row of one of its messages or reminders; nil: it is none.
    package func reference(_ identity: NudgeIdentity) -> MessageReference? {
        MessageReference(userID: userID, identity)
    }

    /// The lane of the first push that a preferred lane takes, else of the first; nil: there is no device at all.
    package func lane(preferring isPreferred: (LaneIdentity) -> Bool) -> LaneIdentity? {
        for nudge in nudges {
            for target in nudge.targets where isPreferred(target.lane) { return target.lane }
        }
        return nudges.lazy.flatMap(\.targets).first?.lane
    }

    /// The part that one lane sends; devices of other lanes wait, and follow under the same answer.
    package func part(for lane: LaneIdentity) -> SendPlan {
        guard nudges.contains(where: { $0.targets.contains { $0.lane != lane } }) else { return self }
        return rebuilt { nudge in
            let own = nudge.targets.filter { $0.lane == lane }
            return own.isEmpty ? nil : nudge.keeping(own, then: nudge.targets.filter { $0.lane != lane })
        }
    }

    /// The nudges whose answers still hold and whose kinds the kill switch lets go; the others are asked again.
    package func sendable(at now: Instant, paused: Set<NudgeKind>) -> SendPlan {
        func isSendable(_ nudge: PlannedNudge) -> Bool {
            nudge.isValid(at: now) && !paused.contains(nudge.identity.kind)
        }
        return nudges.allSatisfy(isSendable) ? self : rebuilt { isSendable($0) ? $0 : nil }
    }

    /// Whole users, as long as they fit. One whose pushes alone are too many is split.
    package static func take(upTo limit: Int, from pending: inout ArraySlice<SendPlan>) -> [SendPlan] {
        var taken: [SendPlan] = []
        var room = limit
        while let sendPlan = pending.first, sendPlan.pushCount <= room || taken.isEmpty {
            pending.removeFirst()
            guard sendPlan.pushCount <= room else { return [sendPlan.fitting(room)] }
            taken.append(sendPlan)
            room -= sendPlan.pushCount
        }
        return taken
    }

    /// As many nudges as fit. One whose devices alone are too many is split: the others follow under the same answer.
    package func fitting(_ room: Int) -> SendPlan {
        var room = room
        var isFirst = true
        return rebuilt { nudge in
            defer { isFirst = false }
            guard nudge.targets.count > room else {
                room -= nudge.targets.count
                return nudge
            }
            guard isFirst, room > 0 else {
                room = 0
                return nil
            }
            defer { room = 0 }
            return nudge.keeping(Array(nudge.targets.prefix(room)), then: nudge.targets.dropFirst(room))
        }
    }

    /// What a nudge comes to that the rules let go.
    enum Fate {
        case goes(PlannedNudge)
        /// It is as it was, and asked again.
        case stays
        /// It ends unsent: a check-in's slot is closed, a message or a reminder is over.
        case ends([DeliveryRecord])
    }

    /// Each nudge by its fate.
    func taking(_ fate: (PlannedNudge) -> Fate) -> SendPlan {
        var left: [PlannedNudge] = []
        var going: [NudgeIdentity: PlannedNudge] = [:]
        var history = candidate.history
        var records: [DeliveryRecord] = []
        var ended: [NudgeIdentity] = []
        for nudge in nudges {
            switch fate(nudge) {
            case .goes(let decided):
                going[nudge.identity] = decided
                left.append(nudge)
            case .stays: left.append(nudge)
            case .ends(let own):
                records += own
                if let slot = nudge.identity.slot { history = history.closing(slot) } else { ended += nudge.members }
            }
        }
        // Where something ended, a cap has room that was counted as taken.
        let isPartial = isPartial || left.count < nudges.count && othersDue != nil
        let rest = SendPlan(
            self,
            nudges: left,
            others: others,
            history: history,
            isPartial: isPartial,
            records: records,
            ended: ended
        )
        return rest.rebuilt { going[$0.identity] }
    }

    /// Each nudge as `change` gives it. Those that it leaves out are as they were: remembered, and counted where they
    /// were.
    private func rebuilt(_ change: (PlannedNudge) -> PlannedNudge?) -> SendPlan {
        var kept: [PlannedNudge] = []
        var others = others
        var history = candidate.history
        var isPartial = isPartial
        for nudge in nudges {
            if let changed = change(nudge) {
                kept.append(changed)
                continue
            }
            isPartial = true
            if let retry = nudge.remembered(version: version) { others.append(retry) }
            if let countedAt = nudge.countedAt { history = history.adding(nudge.identity, at: countedAt) }
        }
        return SendPlan(self, nudges: kept, others: others, history: history, isPartial: isPartial)
    }
}

extension History {
    /// With a nudge's own entry.
    package func adding(_ identity: NudgeIdentity, at instant: Instant) -> History {
        if let slot = identity.slot { adding(CheckIn(at: instant, slot: slot)) } else { adding(sent: instant) }
    }

    /// Without it.
    func removing(_ identity: NudgeIdentity, at instant: Instant) -> History {
        if let slot = identity.slot { removing(CheckIn(at: instant, slot: slot)) } else { removing(sent: instant) }
    }
}

extension MessageReference {
    /// nil: it is a check-in, or a digest, which has no row of its own.
    package init?(userID: UUID, _ identity: NudgeIdentity) {
        guard identity.kind != .checkIn, let id = UUID(uuidString: identity.key) else { return nil }
        self.init(userID: userID, id: id)
    }
}
