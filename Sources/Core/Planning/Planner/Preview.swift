import APNs
import JSON
package import Policy
import Synchronization
package import TimeZones

/// What would become of a message if it were sent now. Nothing is sent, written or counted.
package struct Preview: Sendable {
    package private(set) var action: Action
    /// Why: the policy's reason, `declined`, or why it would end unsent.
    package private(set) var reason: String
    /// With `wait`: when it would be evaluated again.
    package var nextAt: Instant?
    /// With `send`, and when the decision service declines.
    fileprivate var planned: (plan: SendPlan, nudge: PlannedNudge)?
    /// nil: only the policy decided.
    fileprivate var decision: DecisionOutcome?

    package var devices: Int { action == .send ? planned?.nudge.targets.count ?? 0 : 0 }
    package var isDigest: Bool { planned?.nudge.identity.isDigest ?? false }

    package var question: DecisionQuestion? {
        guard let (plan, nudge) = planned, nudge.isToBeAsked else { return nil }
        return plan.question(nudge)
    }

    package func decided(by result: DecisionResult) -> Preview {
        guard let (plan, nudge) = planned else { return self }
        let outcome = plan.outcome(nudge, by: result)
        var preview = self
        preview.decision = outcome
        if outcome.shouldNotify {
            preview.planned = (plan, nudge.decided(outcome, for: plan.candidate))
        } else {
            (preview.action, preview.reason) = (.drop, SendPlan.declinedReason)
        }
        return preview
    }

    /// Who decided: `policy`, `service` or `fallback`.
    package var origin: String { decision?.origin.rawValue ?? "policy" }

    /// `urgent`, `high`, `medium` or `low`. nil: it would not be sent now.
    package var priority: String? {
        let own = planned.map { $0.nudge.isUrgent ? DecisionPriority.urgent : .medium }
        return (decision?.answer.priority ?? own)?.rawValue
    }

    /// The service's or the fallback's reason, as in the record.
    package var explanation: String? { decision?.answer.reason }

    package var texts: (title: String?, body: String?) {
        guard action == .send, let payload = planned?.nudge.payload else { return (nil, nil) }
        let alert = (try? JSONValue(parsing: payload))?["aps"]?["alert"]
        return (alert?["title"]?.text, alert?["body"]?.text)
    }

    /// The answer of `nudged_api.preview` (docs/SQL.md). Always with every key.
    package var json: String {
        let (title, body) = texts
        return Fields.text([
            "would_notify": action == .send, "action": action.rawValue, "reason": reason, "next_at": nextAt?.rfc3339,
            "by": origin, "priority": priority, "explanation": explanation, "title": title, "body": body,
            "devices": devices, "digest": isDigest,
        ])
    }
}

extension Planner {
    /// What would become of a message that is not in the database, by the plan of a sweep at `now`.
    package func preview(_ message: PendingMessage, for user: ClaimedUser, now: Instant) -> Preview {
        var values = user.values
        values.messages.append(message)
        let recorder = DecisionRecorder()
        var recording = self
        recording.recorder = recorder
        let identity = NudgeIdentity.message(message.id)
        let plan = recording.plan(ClaimedUser(values), now: now)
        let decision = recorder.entries.last { $0.members.contains(identity.key) }?.decision
        switch plan {
        case .unreadable(let error):
            let reason = if case .zone = error { "zone_unreadable" } else { "newer_version" }
            return Preview(action: .wait, reason: reason, nextAt: evaluateAgainAt(user.userID, now: now))
        case .send(let plan, _):
            if let nudge = plan.nudges.first(where: { $0.members.contains(identity) }) {
                if nudge.payload.count > PushBatch.payloadLimit {
                    return Preview(action: .drop, reason: "payload_too_large")
                }
                let reason = (decision?.reason ?? .due).rawValue
                return Preview(action: .send, reason: reason, planned: (plan, nudge))
            }
        case .nothing: break
        }
        let end = plan.records.first { $0.kind == NudgeKind.message.rawValue && $0.key == identity.key }
        if let end { return Preview(action: .drop, reason: end.reason ?? end.outcome.rawValue) }
        if let decision, decision.action != .send {
            return Preview(action: decision.action, reason: decision.reason.rawValue, nextAt: decision.nextAt)
        }
        // It is not evaluated: no lane of this daemon serves a device of the user.
        return Preview(action: .hold, reason: "device_not_served")
    }
}

/// Keeps each evaluation of one user's plan, so that `nudged explain` shows exactly what a sweep would evaluate.
package final class DecisionRecorder: Sendable {
    package struct Entry: Sendable, Equatable {
        package let kind: NudgeKind
        /// Names the message, reminder or digest, never its text. nil: a check-in, whose slot is in the decision.
        package let key: String?
        package let members: [String]
        package let decision: Decision
        package var trace: [TraceStep] = []
    }

    private let noted = Mutex<[Entry]>([])
    private let templates = Mutex<[(template: Int32, outcome: TemplateOutcome)]>([])

    package init() {}

    /// In the order of evaluation. The same answer twice in a row is one entry.
    package var entries: [Entry] { noted.withLock { $0 } }

    /// The result for each template, if a check-in is sent.
    package var templateOutcomes: [(template: Int32, outcome: TemplateOutcome)] { templates.withLock { $0 } }

    func note(templateOutcomes: [(template: Int32, outcome: TemplateOutcome)]) {
        templates.withLock { $0 = templateOutcomes }
    }

    /// The last answer was to send a check-in that has no text.
    func noteMissingText(_ decision: Decision) {
        noted.withLock { entries in
            guard let last = entries.popLast() else { return }
            let trace = Array(last.trace.dropLast())
            entries.append(Entry(kind: last.kind, key: nil, members: [], decision: decision, trace: trace))
        }
    }

    func note(_ entry: Entry) { noted.withLock { entries in if entries.last != entry { entries.append(entry) } } }
}
