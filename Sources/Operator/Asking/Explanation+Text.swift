import Core
import Service
import JSON
import Policy
import TimeZones

extension Explanation {
    /// The headline, then the details. Lines for a person, without a newline at the end. A line is longer than `width`
    /// only if a single word is.
    package func text(width: Int) -> String {
        var page = TextPage(width: width)
        page.line(headline)
        page.line("")
        page.line("user \(userID.uuidString.lowercased())")
        page.line("at   \(at.rfc3339), \(zone.map { "\(local(at)) in \($0.name)" } ?? "no valid time zone")")
        guard let read else {
            page.line("")
            page.line("the record, the newest \(records.count)")
            show(records, in: &page)
            return page.text
        }
        if question == .past { page.line("Below are today's preferences and devices: older ones are not kept.") }
        for gap in gaps { page.line(gap) }
        if let plan { show(plan, read, in: &page) }
        show(read, in: &page)
        showDevices(&page)
        page.line("")
        let newest = records.isEmpty ? "the record" : "the record, the newest \(records.count)"
        page.line(question == .past ? "the record around then" : newest)
        show(records, in: &page)
        return page.text
    }

    private func local(_ instant: Instant) -> String { InstantText.local(instant, zone) }

    /// The local time, with its distance from the explained instant.
    private func dated(_ instant: Instant) -> String {
        let span = instant - at
        let distance = span >= 0 ? "in \(Elapsed.text(span))" : "\(Elapsed.text(-span)) before"
        return "\(local(instant)) (\(distance))"
    }

    // MARK: The decision

    private func show(_ plan: Plan, _ read: ReadUser, in page: inout TextPage) {
        page.line("")
        for (number, obstacle) in obstacles.enumerated() {
            let fix = obstacle.fix.map { ". \($0)" } ?? ""
            page.field(number == 0 ? "in the way" : "", obstacle.text(now: now, zone) + fix)
        }
        show(before, in: &page)
        switch plan {
        case .send(let sendPlan, _):
            for (number, nudge) in sendPlan.nudges.enumerated() {
                show(nudge, label: number == 0 ? "decision" : "and", in: &page)
            }
        case .nothing(let rest, let reason, _):
            page.field("decision", "nothing is sent \(question == .now ? "now" : "then"): \(reason.rawValue)")
            if !read.isUnseen { page.field("next evaluation", dated(rest.dueAt)) }
        case .unreadable(let error):
            page.field("decision", "none: the zone's file can't be read (\(error))")
        }
        for record in plan.records { page.field("", "records \(line(record))") }
        for intent in read.intents {
            let state =
                intent.isAlive
                ? "and already counts" : "by a daemon that died; it will be recorded as unknown and already counts"
            let verb = intent.isAlive ? "is" : "was"
            for push in intent.pushes {
                page.field("", "\(push.kind) \(push.key) \(verb) being sent to device \(push.deviceHash) \(state)")
            }
        }
        for entry in decisions { show(entry, in: &page) }
    }

    /// What is sent before a future instant, if every push is accepted.
    private func show(_ sends: [FutureSend], in page: inout TextPage) {
        for (number, send) in sends.prefix(Self.shownSends).enumerated() {
            let devices = Elapsed.counted(send.devices, "device", "devices")
            page.field(number == 0 ? "before that" : "", "\(local(send.at))  \(send.text), to \(devices)")
        }
        if sends.count > Self.shownSends { page.field("", "and \(sends.count - Self.shownSends) more") }
    }

    private static let shownSends = 20

    private func show(_ nudge: PlannedNudge, label: String, in page: inout TextPage) {
        let end = nudge.validUntil.map { ", to be sent before \(dated($0))" } ?? ""
        page.field(label, "send \(Self.name(nudge.identity))\(end)")
        if nudge.identity.isDigest {
            for member in nudge.members { page.field("", "with \(Self.name(member))") }
        }
        if nudge.identity.kind == .checkIn { showText(of: nudge, in: &page) }
        for target in nudge.targets { page.field("", "to device \(target.hash) on \(target.lane.text)") }
        if nudge.isToBeAsked {
            page.field(
                "",
                "a sweep asks the decision service first, which may refuse or choose another text; it is not asked here"
            )
        } else if lacksConsent, nudge.countedAt == nil {
            page.field("", "the decision service is not asked: smart_enabled in the preferences is not true")
        }
        if !nudge.waiting.isEmpty {
            let devices = Elapsed.counted(nudge.waiting.count, "more device", "more devices")
            page.field("", "to \(devices) later, with the same decision")
        }
    }

    /// The template's number, not its text: the text holds the user's data.
    private func showText(of nudge: PlannedNudge, in page: inout TextPage) {
        page.field("", nudge.template.map { "with the text of template \($0)" } ?? "with the configured text")
        for (template, outcome) in templates where outcome != .chosen {
            page.field("", "template \(template) \(outcome.text)")
        }
    }

    /// A message's id, not its text.
    private static func name(_ identity: NudgeIdentity) -> String {
        if let slot = identity.slot { return "the check-in of \(slot.iso)" }
        return identity.isDigest ? "the messages as one digest" : "\(identity.kind.rawValue) \(identity.key)"
    }

    private func show(_ entry: DecisionRecorder.Entry, in page: inout TextPage) {
        let decision = entry.decision
        var outcome = "\(decision.action.rawValue), \(decision.reason.rawValue)"
        if let next = decision.nextAt { outcome += " until \(local(next))" }
        page.line("")
        let key = entry.key.map { " \($0)" } ?? ""
        page.line("why: \(entry.kind.rawValue)\(key): \(outcome)")
        // Rules that passed and have no facts share a line.
        let (plain, others) = entry.trace.reduce(into: ([TraceStep](), [TraceStep]())) { lists, step in
            let isPlain = step.outcome == "pass" && step.facts.members.compactMap(fact).isEmpty
            if isPlain { lists.0.append(step) } else { lists.1.append(step) }
        }
        if !plain.isEmpty {
            page.columns("  ", [("passed", 14)], plain.map(\.rule).joined(separator: ", "))
        }
        for step in others {
            let facts = step.facts.members.compactMap(fact).joined(separator: ", ")
            page.columns("  ", [(step.rule, 14), (step.outcome, 6)], facts)
        }
    }

    /// One fact of the trace, with instants in local time. Nil if it is null.
    private func fact(_ member: JSONObject.Member) -> String? {
        let name = member.key.replacing("_", with: " ")
        switch member.value {
        case .null: return nil
        case .string(let text):
            if let instant = Instant(rfc3339: text) { return "\(name) \(local(instant))" }
            return "\(name) \(text)"
        case .int(let number):
            return member.key == "offset" ? "\(name) \(InstantText.offset(number))" : "\(name) \(number)"
        case .bool(let bool): return bool ? name : "not \(name)"
        default: return nil
        }
    }

    // MARK: What is known

    private func show(_ read: ReadUser, in page: inout TextPage) {
        let user = read.user
        page.line("")
        switch question {
        case .now: page.line("what is known")
        case .future: page.line("what is known, as it will be then")
        case .past: page.line("today")
        }
        page.field("preferences", user.preferences ?? "null")
        page.field("profile's zone", user.timezone ?? "null")
        for mistake in mistakes { page.field("a mistake?", mistake) }
        page.field("first session", user.firstSessionComplete ? "complete" : "not yet")
        if question != .future {
            page.field(
                "due",
                read.isUnseen
                    ? "not yet: nudged has no row of the user"
                    : read.isNew ? "with the next sweep" : Instant(dueOf: user).map(local) ?? "never"
            )
        }
        page.field("last evaluated", user.evaluatedAt.map(local) ?? "never")
        if let since = user.since { page.field("since", local(since)) }
        if let touched = user.touchedAt { page.field("changed", "\(local(touched)), not evaluated yet") }
        if !paused.isEmpty { page.field("paused", paused.map(\.rawValue).sorted().joined(separator: ", ")) }
        for checkIn in user.history.checkIns {
            page.field("sent check-in", "of \(checkIn.slot.iso) at \(local(checkIn.at))")
        }
        if !user.history.sent.isEmpty {
            page.field("sends that count", user.history.sent.map(local).joined(separator: ", "))
        }
        if !user.history.closed.isEmpty {
            page.field("closed slots", user.history.closed.map(\.iso).joined(separator: ", "))
        }
        for message in user.messages {
            let end = message.expiresAt.map { ", expires \(local($0))" } ?? ""
            page.field(
                "waiting",
                "message \(message.id.uuidString.lowercased()) of \(local(message.createdAt))"
                    + "\(message.urgent ? ", urgent" : "")\(start(message))\(end)"
            )
        }
        if let next = user.messagesWakeAt { page.field("next message", "not before \(local(next))") }
        if user.hasMoreMessages { page.field("", "and more messages, which are read later") }
        for reminder in user.reminders.all { page.field("waiting", text(reminder)) }
        if user.reminders.isPartial { page.field("", "and more reminders, which are read later") }
        if let next = user.reminders.wakesAt { page.field("next reminder", "not before \(local(next))") }
        for retry in user.retry.map(Retry.all(json:)) ?? [] {
            let end = retry.validUntil.map { ", its decision ends \(local($0))" } ?? ""
            let devices = Elapsed.counted(retry.left.count, "device", "devices")
            page.field(
                "left of a nudge",
                "\(devices) of \(Self.name(retry.identity)), "
                    + "\(retry.counts ? "counts as sent" : "no device answered")\(end)"
            )
            for left in retry.left { page.field("", "device \(left.deviceHash) not before \(local(left.notBefore))") }
        }
    }

    /// When a message for later is due.
    private func start(_ message: PendingMessage) -> String {
        switch message.due {
        case nil: ""
        case .at(let instant)?: ", not before \(local(instant))"
        case .local(let time)?: ", not before \(time.iso) in the user's zone"
        }
    }

    /// A reminder's id and subject, not its text.
    private func text(_ reminder: PendingReminder) -> String {
        let hour =
            switch reminder.due {
            case .at(let instant): local(instant)
            case .local(let time): "\(time.iso) in \(reminder.timezone ?? "the zone of each recipient")"
            }
        let rule = reminder.series.flatMap { try? Recurrence(parsing: $0.rule) }
        let series = rule.map { ", \($0.text)" } ?? ""
        let end = reminder.isCancelled ? ", cancelled" : ""
        return
            "reminder \(reminder.id.uuidString.lowercased()) about \(reminder.subjectType) \(reminder.subjectID), "
            + "due \(hour)\(series)\(end)"
    }

    private func showDevices(_ page: inout TextPage) {
        if devices.isEmpty { page.field("devices", "none: \(deviceGaps.map(\.text).joined(separator: "; "))") }
        for (number, device) in devices.enumerated() {
            let registered = device.registeredAt.map { "registered \(local($0))" } ?? "registered at an unknown time"
            let state =
                switch device.state {
                case .served: ""
                case .tried(let environment): "; refused there, so it is tried in \(environment)"
                case .moved(let environment): "; it works in \(environment), where its pushes go"
                case .otherEnvironment: "; no lane of this configuration serves it: another environment"
                case .otherTopic: "; no lane of this configuration serves it: another app"
                case .quarantined(let at, let reason):
                    "; in quarantine since \(local(at)): Apple answered \(reason); "
                        + "nothing is sent to it until it registers again"
                }
            page.field(
                number == 0 ? "devices" : "",
                "\(device.hash) (\(device.journalName) in the journal) on \(device.lane.text), \(registered)\(state)"
            )
        }
    }

    private func show(_ records: [DeliveryRecord], in page: inout TextPage) {
        if records.isEmpty { page.line("  nothing") }
        for record in records { page.wrapped("  \(line(record))", indent: 4) }
    }

    /// The answer of the decision service or of the fallback. Nil if there is none.
    private func decision(_ record: DeliveryRecord) -> String? {
        guard let text = record.decision, let json = try? JSONValue(parsing: text), let origin = json["by"]?.text,
            let reason = json["reason"]?.text
        else { return nil }
        return "\(origin): \(reason)"
    }

    private func line(_ record: DeliveryRecord) -> String {
        let answer = [record.reason, record.status.map { "status \($0)" }, decision(record)].compactMap(\.self).joined(
            separator: ", "
        )
        let template = record.template.map { ", template \($0)" } ?? ""
        let device = record.deviceHash.isEmpty ? "" : " to \(record.deviceHash)"
        return
            "\(local(record.attemptedAt))  \(record.kind) \(record.key)\(device): \(record.outcome.rawValue)"
            + "\(answer.isEmpty ? "" : " (\(answer))")\(template)"
    }
}
