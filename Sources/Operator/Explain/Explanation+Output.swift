import Core
import JSON
import Policy
import Service
import TimeZones

extension Explanation {
    package func text(on screen: Screen) -> String {
        var page = TextPage(width: screen.width)
        page.line(headline)
        page.line("")
        page.line("user \(facts.userID.uuidString.lowercased())")
        page.line("at   \(at.rfc3339), \(zone.map { "\(local(at)) in \($0.name)" } ?? "no valid time zone")")
        if let read {
            if question == .past { page.line("Below are today's preferences and devices: older ones are not kept.") }
            for gap in facts.gaps { page.line(gap) }
            if let plan { show(plan, read, in: &page) }
            show(read, in: &page)
            let none = "none: \(deviceGaps.map(\.text).joined(separator: "; "))"
            page.fields("devices", devices.isEmpty ? [none] : devices.map { $0.text(local) })
        }
        page.line("")
        let records = facts.records
        let isNewest = read == nil || question != .past && !records.isEmpty
        let which = isNewest ? ", the newest \(records.count)" : question == .past ? " around then" : ""
        page.line("the record\(which)")
        if records.isEmpty { page.line("  nothing") }
        for record in records { page.wrapped("  \(line(record))", indent: 4) }
        return page.text
    }

    private func local(_ instant: Instant) -> String { InstantText.local(instant, zone) }

    private func dated(_ instant: Instant) -> String {
        let span = instant - at
        let distance = span >= 0 ? "in \(Elapsed.text(span))" : "\(Elapsed.text(-span)) before"
        return "\(local(instant)) (\(distance))"
    }

    private func show(_ plan: Plan, _ read: ReadUser, in page: inout TextPage) {
        page.line("")
        page.fields("in the way", obstacles.map { $0.text + ($0.fix.map { ". \($0)" } ?? "") })
        show(outlook?.before ?? [], in: &page)
        switch plan {
        case .send(let plan, _):
            for (place, one) in plan.nudges.enumerated() { page.fields(place == 0 ? "decision" : "and", lines(one)) }
        case .nothing(let rest, let reason, _):
            page.field("decision", "nothing is sent \(question == .now ? "now" : "then"): \(reason.rawValue)")
            if !read.isUnseen { page.field("next evaluation", dated(rest.dueAt)) }
        case .unreadable(let error): page.field("decision", "none: \(error)")
        }
        for record in plan.records { page.field("", "records \(line(record))") }
        for intent in read.intents {
            let verb = intent.isAlive ? "is" : "was"
            let state = intent.isAlive ? "" : "by a daemon that died; it will be recorded as unknown "
            for push in intent.pushes {
                let what = "\(push.kind) \(push.key) \(verb) being sent to device \(push.deviceHash)"
                page.field("", "\(what) \(state)and already counts")
            }
        }
        for entry in decisions { show(entry, in: &page) }
    }

    private func show(_ sends: [FutureSend], in page: inout TextPage) {
        let most = 20
        let shown = sends.prefix(most).map { send in
            "\(local(send.at))  \(send.text), to \(Elapsed.counted(send.devices, "device", "devices"))"
        }
        page.fields("before that", shown + (sends.count > most ? ["and \(sends.count - most) more"] : []))
    }

    private func lines(_ nudge: PlannedNudge) -> [String] {
        let end = nudge.validUntil.map { ", to be sent before \(dated($0))" } ?? ""
        var lines = ["send \(Self.name(nudge.identity))\(end)"]
        if nudge.identity.isDigest { lines += nudge.members.map { "with \(Self.name($0))" } }
        if nudge.identity.kind == .checkIn {
            // The template's number, not its text: the text holds the user's data.
            if let template = nudge.template { lines.append("with the text of template \(template)") }
            lines += templates.filter { $0.outcome != .chosen }.map { "template \($0.template) \($0.outcome.text)" }
        }
        lines += nudge.targets.map { "to device \($0.hash) on \($0.lane.text)" }
        if nudge.isToBeAsked {
            let risk = "which may refuse or choose another text; it is not asked here"
            lines.append("a sweep asks the decision service first, \(risk)")
        } else if lacksConsent, nudge.countedAt == nil {
            lines.append("the decision service is not asked: smart_enabled in the preferences is not true")
        }
        if !nudge.waiting.isEmpty {
            let devices = Elapsed.counted(nudge.waiting.count, "more device", "more devices")
            lines.append("to \(devices) later, with the same decision")
        }
        return lines
    }

    /// A message's id, not its text.
    private static func name(_ identity: NudgeIdentity) -> String {
        if let slot = identity.slot { return "the check-in of \(slot.iso)" }
        return identity.isDigest ? "the messages as one digest" : "\(identity.kind.rawValue) \(identity.key)"
    }

    private func show(_ entry: DecisionRecorder.Entry, in page: inout TextPage) {
        let decision = entry.decision
        let until = decision.nextAt.map { " until \(local($0))" } ?? ""
        let key = entry.key.map { " \($0)" } ?? ""
        page.line("")
        page.line("why: \(entry.kind.rawValue)\(key): \(decision.action.rawValue), \(decision.reason.rawValue)\(until)")
        let steps = entry.trace.map { ($0, facts: $0.facts.members.compactMap(fact).joined(separator: ", ")) }
        // Rules that passed and have no facts share a line.
        let plain = steps.filter { $0.outcome == "pass" && $1.isEmpty }.map(\.0.rule)
        if !plain.isEmpty { page.columns("  ", [("passed", 14)], plain.joined(separator: ", ")) }
        for (step, facts) in steps where step.outcome != "pass" || !facts.isEmpty {
            page.columns("  ", [(step.rule, 14), (step.outcome, 6)], facts)
        }
    }

    private func fact(_ member: JSONObject.Member) -> String? {
        let name = member.key.replacing("_", with: " ")
        switch member.value {
        case .string(let text): return "\(name) \(Instant(rfc3339: text).map(local) ?? text)"
        case .int(let number):
            return member.key == "offset" ? "\(name) \(InstantText.offset(number))" : "\(name) \(number)"
        case .bool(let bool): return bool ? name : "not \(name)"
        default: return nil
        }
    }

    private func show(_ read: ReadUser, in page: inout TextPage) {
        let user = read.user
        page.line("")
        let known = question == .future ? "what is known, as it will be then" : "what is known"
        page.line(question == .past ? "today" : known)
        page.field("preferences", user.preferences ?? "null")
        page.field("profile's zone", user.timezone ?? "null")
        for mistake in mistakes { page.field("a mistake?", mistake) }
        page.field("first session", user.firstSessionComplete ? "complete" : "not yet")
        if question != .future { page.field("due", due(read)) }
        page.field("last evaluated", user.evaluatedAt.map(local) ?? "never")
        if let since = user.since { page.field("since", local(since)) }
        if let touched = user.touchedAt { page.field("changed", "\(local(touched)), not evaluated yet") }
        if let seen = user.seen { page.field("active", "the app last saw the user \(local(seen))") }
        if let ignored {
            let since = user.seen == nil ? "the app has never seen the user" : "since then"
            page.field("ignored", "\(Elapsed.counted(Int(ignored), "check-in", "check-ins")), \(since)")
        }
        if !paused.isEmpty { page.field("paused", paused.joined(separator: ", ")) }
        let history = user.history
        for one in history.checkIns { page.field("sent check-in", "of \(one.slot.iso) at \(local(one.at))") }
        if !history.sent.isEmpty { page.field("sends that count", history.sent.map(local).joined(separator: ", ")) }
        if !history.closed.isEmpty { page.field("closed slots", history.closed.map(\.iso).joined(separator: ", ")) }
        for message in user.messages { page.field("waiting", text(message)) }
        if let next = user.messagesWakeAt { page.field("next message", "not before \(local(next))") }
        if user.hasMoreMessages { page.field("", "and more messages, which are read later") }
        for reminder in user.reminders.all { page.field("waiting", text(reminder)) }
        if user.reminders.isPartial { page.field("", "and more reminders, which are read later") }
        if let next = user.reminders.wakesAt { page.field("next reminder", "not before \(local(next))") }
        for retry in user.retry.map(Retry.all(json:)) ?? [] {
            let end = retry.validUntil.map { ", its decision ends \(local($0))" } ?? ""
            let devices = Elapsed.counted(retry.left.count, "device", "devices")
            let state = retry.counts ? "counts as sent" : "no device answered"
            let left = retry.left.map { "device \($0.deviceHash) not before \(local($0.notBefore))" }
            page.fields("left of a nudge", ["\(devices) of \(Self.name(retry.identity)), \(state)\(end)"] + left)
        }
    }

    private func due(_ read: ReadUser) -> String {
        if read.isUnseen { return "not yet: nudged has no row of the user" }
        return read.isNew ? "with the next sweep" : read.user.knownDue.map(local) ?? "never"
    }

    private func text(_ message: PendingMessage) -> String {
        let (instant, time) = Self.parts(message.due)
        let from = instant.map(local) ?? time.map { "\($0) in the user's zone" }
        let start = from.map { ", not before \($0)" } ?? ""
        let end = message.expiresAt.map { ", expires \(local($0))" } ?? ""
        return "message \(message.id.uuidString.lowercased()) of \(local(message.createdAt))"
            + "\(message.urgent ? ", urgent" : "")\(start)\(end)"
    }

    /// A reminder's id and subject, not its text.
    private func text(_ reminder: PendingReminder) -> String {
        let (instant, time) = Self.parts(reminder.due)
        let hour = instant.map(local) ?? "\(time ?? "") in \(reminder.timezone ?? "the zone of each recipient")"
        let series = reminder.series.flatMap { Recurrence(parsing: $0.rule) }.map { ", \($0.text)" } ?? ""
        return
            "reminder \(reminder.id.uuidString.lowercased()) about \(reminder.subjectType) \(reminder.subjectID), "
            + "due \(hour)\(series)\(reminder.isCancelled ? ", cancelled" : "")"
    }

    private func line(_ record: DeliveryRecord) -> String {
        var answer = [record.reason, record.status.map { "status \($0)" }].compactMap(\.self)
        let decision = record.decision.flatMap { try? JSONValue(parsing: $0) }
        if let origin = decision?["by"]?.text, let reason = decision?["reason"]?.text {
            answer.append("\(origin): \(reason)")
        }
        let why = answer.isEmpty ? "" : " (\(answer.joined(separator: ", ")))"
        let template = record.template.map { ", template \($0)" } ?? ""
        let device = record.deviceHash.isEmpty ? "" : " to \(record.deviceHash)"
        let what = "\(record.kind) \(record.key)\(device): \(record.outcome.rawValue)"
        return "\(local(record.attemptedAt))  \(what)\(why)\(template)"
    }

    /// Devices are hashes, and messages are ids without their texts. `seen`: by nudged; `before`: sent before a future
    /// instant; `gaps`: could not be read. `decisions` are those of `nudged decide`, with a nudge in place of `id`.
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
                [
                    "kind": push.kind, "key": push.key, "device": push.deviceHash, "attempted_at": intent.attemptedAt,
                    "alive": intent.isAlive,
                ]
            }
        }
        let known: Fields = [
            "user": read.map(fields), "devices": devices.map(\.fields),
            "in_flight": sending, "record": facts.records.map(Self.fields),
        ]
        return (asked + decided + known).document
    }

    private static func fields(_ send: FutureSend) -> Fields {
        ["at": send.at, "nudges": send.plan.nudges.map { fields($0.identity) }, "devices": send.devices]
    }

    private static func fields(_ nudge: NudgeIdentity) -> Fields { ["kind": nudge.kind.rawValue, "key": nudge.key] }

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
        [
            "kind": nudge.identity.kind.rawValue, "key": nudge.identity.key, "members": nudge.members.map(\.key),
            "valid_until": nudge.validUntil, "asks_decision_service": nudge.isToBeAsked, "template": nudge.template,
            "devices": nudge.targets.map(\.hash), "later": nudge.waiting.map(\.deviceHash),
        ]
    }

    private static func fields(_ entry: DecisionRecorder.Entry) -> Fields {
        let nudge: Fields = ["kind": entry.kind.rawValue, "key": entry.key, "members": entry.members]
        return nudge + DecideLine.fields(entry.decision, entry.trace)
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
        let about: Fields = ["id": reminder.id, "subject_type": reminder.subjectType, "subject_id": reminder.subjectID]
        let due: Fields = instant == nil ? ["due_local": time] : ["due_at": instant]
        let rest: Fields = [
            "timezone": reminder.timezone, "recurrence": reminder.series?.rule, "is_own": reminder.isOwn,
            "is_cancelled": reminder.isCancelled,
        ]
        return about + due + rest
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
