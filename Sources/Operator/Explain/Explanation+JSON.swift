import Core
import JSON

extension Explanation {
    /// Devices are hashes, and messages are ids without their texts. `decisions` are as `nudged decide` prints them, with
    /// `kind`, `key` and `members` in place of `id`.
    package var json: String {
        let asked: Fields = [
            "headline": headline, "user_id": facts.userID, "now": now, "at": at, "question": "\(question)",
            "known": read != nil, "seen": read.map { !$0.isUnseen } ?? false, "zone": zone?.name,
            "offset": zone.map { InstantText.offset(Int64($0.offset(at: at))) },
        ]
        let decided: Fields = [
            "next": next.map(Self.fields), "held": held.map(Self.fields),
            "in_the_way": question == .past ? [] : obstacles.map(\.fields), "no_device": deviceGaps.map(\.name),
            "before": (outlook?.before ?? []).map(Self.fields), "plan": plan.map(Self.fields),
            "decisions": decisions.map(Self.fields), "mistakes": mistakes, "gaps": facts.gaps,
            "templates": templates.map { Self.fields($0.template, $0.outcome) },
        ]
        let sending = (read?.intents ?? []).flatMap { intent in
            intent.pushes.map { push -> Fields in
                let attempt: Fields = ["attempted_at": intent.attemptedAt, "alive": intent.isAlive]
                let nudge: Fields = ["kind": push.kind, "key": push.key, "device": push.deviceHash]
                return nudge + attempt
            }
        }
        let known: Fields = [
            "user": read.map(fields), "devices": devices.map(\.fields),
            "in_flight": sending, "record": facts.records.map(Self.fields),
        ]
        return (asked + decided + known).document
    }

    private static func fields(_ send: FutureSend) -> Fields {
        let nudges = send.plan.nudges.map { fields($0.identity) }
        return ["at": send.at, "nudges": nudges, "devices": send.devices]
    }

    private static func fields(_ identity: NudgeIdentity) -> Fields {
        ["kind": identity.kind.rawValue, "key": identity.key]
    }

    private static func fields(_ plan: Plan) -> Fields {
        let action: Fields =
            switch plan {
            case .send(let sendPlan, _): ["action": "send", "nudges": sendPlan.nudges.map(fields)]
            case .nothing(let rest, let reason, _):
                ["action": "nothing", "reason": reason.rawValue, "next_evaluation": rest.dueAt]
            case .unreadable(let error): ["action": "unreadable", "reason": "\(error)"]
            }
        return action + ["records": plan.records.map(fields)]
    }

    private static func fields(_ nudge: PlannedNudge) -> Fields {
        let rest: Fields = [
            "members": nudge.members.map(\.key), "valid_until": nudge.validUntil,
            "asks_decision_service": nudge.isToBeAsked, "template": nudge.template,
            "devices": nudge.targets.map(\.hash), "later": nudge.waiting.map(\.deviceHash),
        ]
        return fields(nudge.identity) + rest
    }

    private static func fields(_ entry: DecisionRecorder.Entry) -> Fields {
        let decision = entry.decision
        let trace = entry.trace.map { step -> Fields in
            ["rule": step.rule, "verdict": step.outcome, "facts": JSONValue.object(step.facts)]
        }
        return [
            "kind": entry.kind.rawValue, "key": entry.key, "members": entry.members,
            "action": decision.action.rawValue, "reason": decision.reason.rawValue, "next_at": decision.nextAt,
            "slot": decision.slot, "urgent": decision.urgent, "valid_until": decision.validUntil, "trace": trace,
        ]
    }

    private static func fields(_ template: Int32, _ outcome: TemplateOutcome) -> Fields {
        let result: Fields = ["template": template, "result": outcome.name]
        return outcome.missing.isEmpty ? result : result + ["missing": outcome.missing]
    }

    private func fields(_ read: ReadUser) -> Fields {
        let user = read.user
        let state: Fields = [
            "preferences": user.preferences, "timezone": user.timezone,
            "first_session_complete": user.firstSessionComplete, "last_evaluation": user.evaluatedAt,
            "since": user.since, "touched_at": user.touchedAt, "range": read.range, "owner": read.owner,
            "seen_at": user.seen, "ignored": ignored, "paused": paused,
            "check_ins": user.history.checkIns.map { ["at": $0.at, "slot": $0.slot] as Fields },
            "sent": user.history.sent, "closed": user.history.closed,
        ]
        let waiting: Fields = [
            "messages": user.messages.map(Self.fields), "next_message_from": user.messagesWakeAt,
            "has_more_messages": user.hasMoreMessages, "reminders": user.reminders.all.map(Self.fields),
            "next_reminder_from": user.reminders.wakesAt, "has_more_reminders": user.reminders.isPartial,
            "retry": user.retry.flatMap { try? JSONValue(parsing: $0) },
        ]
        return state + waiting
    }

    private static func fields(_ message: PendingMessage) -> Fields {
        // Both null: at once.
        let (instant, time) = parts(message.due)
        return [
            "id": message.id, "created_at": message.createdAt, "urgent": message.urgent,
            "expires_at": message.expiresAt, "deliver_at": instant, "deliver_local": time,
        ]
    }

    private static func fields(_ reminder: PendingReminder) -> Fields {
        let (instant, time) = parts(reminder.due)
        let subject: Fields = [
            "id": reminder.id, "subject_type": reminder.subjectType, "subject_id": reminder.subjectID,
        ]
        let due: Fields = instant == nil ? ["due_local": time] : ["due_at": instant]
        let rest: Fields = [
            "timezone": reminder.timezone, "recurrence": reminder.series?.rule, "is_own": reminder.isOwn,
            "is_cancelled": reminder.isCancelled,
        ]
        return subject + due + rest
    }

    private static func parts(_ due: PendingReminder.Due?) -> (Instant?, String?) {
        switch due {
        case nil: (nil, nil)
        case .at(let instant)?: (instant, nil)
        case .local(let time)?: (nil, time.iso)
        }
    }

    private static func fields(_ record: DeliveryRecord) -> Fields {
        [
            "kind": record.kind, "key": record.key, "slot": record.slot,
            "device": record.deviceHash.isEmpty ? nil : record.deviceHash, "apns_id": record.apnsID,
            "outcome": record.outcome.rawValue, "reason": record.reason, "status": record.status,
            "attempted_at": record.attemptedAt,
            "decision": record.decision.flatMap { try? JSONValue(parsing: $0) }, "template": record.template,
        ]
    }
}
