import APNs
import JSON
package import Policy
package import TimeZones

/// What would become of a message if it were sent now. Nothing is sent, written or counted.
package struct Preview: Sendable {
    /// What would happen now.
    package let action: Action
    /// Why: the policy's reason, `declined`, or why it would end unsent.
    package let reason: String
    /// With `wait`: when it would be evaluated again.
    package let nextAt: Instant?
    private let plan: SendPlan?
    /// With `send`, and when the decision service declines.
    private let nudge: PlannedNudge?
    /// nil: only the policy decided.
    private let decision: DecisionOutcome?

    fileprivate init(_ action: Action, _ reason: String, nextAt: Instant? = nil) {
        self.action = action
        self.reason = reason
        self.nextAt = nextAt
        plan = nil
        nudge = nil
        decision = nil
    }

    fileprivate init(sending nudge: PlannedNudge, of plan: SendPlan, _ reason: String) {
        if let payload = nudge.payload, payload.count > PushBatch.payloadLimit {
            self.init(.drop, "payload_too_large")
        } else {
            self.init(.send, reason, of: plan, nudge, nil)
        }
    }

    private init(
        _ action: Action,
        _ reason: String,
        of plan: SendPlan?,
        _ nudge: PlannedNudge?,
        _ decision: DecisionOutcome?
    ) {
        self.action = action
        self.reason = reason
        nextAt = nil
        self.plan = plan
        self.nudge = nudge
        self.decision = decision
    }

    /// How many devices would get it now.
    package var devices: Int { action == .send ? nudge?.targets.count ?? 0 : 0 }

    /// Whether it would be sent with others as one push.
    package var isDigest: Bool { nudge?.identity.isDigest ?? false }

    /// The question for the decision service. nil: it is not asked.
    package var question: DecisionQuestion? {
        guard let plan, let nudge, nudge.isToBeAsked else { return nil }
        return plan.question(nudge)
    }

    /// After the decision service's answer.
    package func decided(_ answer: DecisionAnswer) -> Preview { decided(DecisionOutcome(answer)) }

    /// After the user's fallback strategy.
    package func fallback(because failure: DecisionFailure) -> Preview {
        guard let plan, let nudge else { return self }
        return decided(plan.fallback(nudge, because: failure))
    }

    private func decided(_ outcome: DecisionOutcome) -> Preview {
        guard let plan, let nudge else { return self }
        guard outcome.shouldNotify else { return Preview(.drop, SendPlan.declinedReason, of: plan, nudge, outcome) }
        let passesFocus = nudge.isUrgent && plan.candidate.preferences.allowUrgent
        return Preview(.send, reason, of: plan, nudge.decided(outcome, passesFocus: passesFocus), outcome)
    }

    /// Who decided: `policy`, `service` or `fallback`.
    package var origin: String { decision?.origin.rawValue ?? "policy" }

    /// `urgent`, `high`, `medium` or `low`. nil: it would not be sent now.
    package var priority: String? {
        decision?.priority.rawValue ?? nudge.map { ($0.isUrgent ? DecisionPriority.urgent : .medium).rawValue }
    }

    /// The service's or the fallback's reason, as in the record.
    package var explanation: String? { decision?.reason }

    /// The title and the body that the phone would get.
    package var texts: (title: String?, body: String?) {
        guard action == .send, let payload = nudge?.payload, let value = try? JSONValue(parsing: payload) else {
            return (nil, nil)
        }
        let alert = value["aps"]?["alert"]
        return (alert?["title"]?.text, alert?["body"]?.text)
    }

    /// The answer of `nudged_api.preview_answer` (docs/SQL.md). Always with every key.
    package var json: String {
        let (title, body) = texts
        var json = JSONWriter(reservingCapacity: 512)
        json.beginObject()
        json.key("would_notify")
        json.bool(action == .send)
        json.put("action", action.rawValue)
        json.put("reason", reason)
        json.put("next_at", nextAt?.rfc3339)
        json.put("by", origin)
        json.put("priority", priority)
        json.put("explanation", explanation)
        json.put("title", title)
        json.put("body", body)
        json.key("devices")
        json.int(devices)
        json.key("digest")
        json.bool(isDigest)
        json.endObject()
        return json.string
    }
}

extension Planner {
    /// What would become of a message that is not in the database, by the plan of a sweep at `now`.
    package func preview(_ message: PendingMessage, for user: ClaimedUser, now: Instant) -> Preview {
        var changes = user.changes
        changes.messages.append(message)
        let recorder = DecisionRecorder()
        var recording = self
        recording.recorder = recorder
        let identity = NudgeIdentity.message(message.id)
        let plan = recording.plan(user.with(changes), now: now)
        let decision = recorder.entries.last { $0.members.contains(identity.key) }?.decision
        switch plan {
        case .unreadable: return Preview(.wait, "zone_unreadable", nextAt: askAgainAt(user.userID, now: now))
        case .send(let plan, _):
            if let nudge = plan.nudges.first(where: { $0.members.contains(identity) }) {
                return Preview(sending: nudge, of: plan, (decision?.reason ?? .due).rawValue)
            }
        case .nothing: break
        }
        let end = plan.records.first { $0.kind == NudgeKind.message.rawValue && $0.key == identity.key }
        if let end { return Preview(.drop, end.reason ?? end.outcome.rawValue) }
        if let decision, decision.action != .send {
            return Preview(decision.action, decision.reason.rawValue, nextAt: decision.nextAt)
        }
        // It is not evaluated: no lane of this daemon serves a device of the user.
        return Preview(.hold, "device_not_served")
    }
}
