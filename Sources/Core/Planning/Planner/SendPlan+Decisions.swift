import Policy
import TimeZones

extension SendPlan {
    package static let declinedReason = "declined"

    package var isToBeAsked: Bool { nudges.contains(where: \.isToBeAsked) }

    /// Whether a service would be asked about a nudge, if the user consented.
    package var lacksConsent: Bool { !candidate.preferences.smartEnabled && nudges.contains { $0.countedAt == nil } }

    /// The plan after the decisions. A nudge without a decision, or that ended or was paused meanwhile, stays unchanged
    /// and is evaluated again.
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
