import Core
import JSON
import Policy
import TimeZones

extension Explanation {
    /// One object. Instants are RFC 3339 in UTC, devices are hashes, and messages are ids without their texts.
    ///
    /// - `headline`: as for a person
    /// - `user_id`, `now`, `at`, `question` (`now`, `future` or `past`), `known`, `seen`, `zone`, `offset`
    /// - `next`: the first pushes from `at` on if nothing stands in the way; `held`: what a pause holds back
    /// - `in_the_way`, `no_device`: the causes
    /// - `before`: what is sent before a future instant
    /// - `plan`: what a sweep does at `at`; null for a past instant
    /// - `decisions`: as `nudged decide` prints them, with `kind`, `key` and `members` in place of `id`
    /// - `mistakes`: keys and zones that are unknown, a consent of a wrong type
    /// - `gaps`: what could not be read
    /// - `templates`: whether each template was chosen or why not, if a check-in is sent
    /// - `user`, `devices`, `in_flight`, `record`
    package var json: String {
        var json = JSONWriter()
        json.beginObject()
        json.put("headline", headline)
        json.put("user_id", userID.uuidString.lowercased())
        json.put("now", now.rfc3339)
        json.put("at", at.rfc3339)
        json.put("question", "\(question)")
        json.key("known")
        json.bool(read != nil)
        json.key("seen")
        json.bool(read.map { !$0.isUnseen } ?? false)
        json.put("zone", zone?.name)
        json.put("offset", zone.map { InstantText.offset(Int64($0.offset(at: at))) })
        json.key("next")
        Self.write(next, to: &json)
        json.key("held")
        Self.write(held, to: &json)
        json.list("in_the_way", question == .past ? [] : obstacles) { obstacle, json in obstacle.write(to: &json) }
        json.list("no_device", deviceGaps) { gap, json in json.string(gap.name) }
        json.list("before", before) { send, json in Self.write(send, to: &json) }
        json.key("plan")
        write(plan, to: &json)
        json.list("decisions", decisions) { entry, json in Self.write(entry, to: &json) }
        json.list("mistakes", mistakes) { mistake, json in json.string(mistake) }
        json.list("gaps", gaps) { gap, json in json.string(gap) }
        json.list("templates", templates) { one, json in Self.write(one.template, one.outcome, to: &json) }
        json.key("user")
        write(read, to: &json)
        json.list("devices", devices) { device, json in Self.write(device, to: &json) }
        let sending = read?.intents.flatMap { intent in intent.pushes.map { (intent, $0) } } ?? []
        json.list("in_flight", sending) { one, json in
            let (intent, push) = one
            json.beginObject()
            json.put("kind", push.kind)
            json.put("key", push.key)
            json.put("device", push.deviceHash)
            json.put("attempted_at", intent.attemptedAt.rfc3339)
            json.key("alive")
            json.bool(intent.isAlive)
            json.endObject()
        }
        json.list("record", records) { record, json in Self.write(record, to: &json) }
        json.endObject()
        return json.string
    }

    private func write(_ plan: Plan?, to json: inout JSONWriter) {
        guard let plan else { return json.null() }
        json.beginObject()
        switch plan {
        case .send(let sendPlan, _):
            json.put("action", "send")
            json.list("nudges", sendPlan.nudges) { nudge, json in Self.write(nudge, to: &json) }
        case .nothing(let rest, let reason, _):
            json.put("action", "nothing")
            json.put("reason", reason.rawValue)
            json.put("next_evaluation", rest.dueAt.rfc3339)
        case .unreadable(let error):
            json.put("action", "unreadable")
            json.put("reason", "\(error)")
        }
        json.list("records", plan.records) { record, json in Self.write(record, to: &json) }
        json.endObject()
    }

    private static func write(_ send: FutureSend?, to json: inout JSONWriter) {
        guard let send else { return json.null() }
        json.beginObject()
        json.put("at", send.at.rfc3339)
        json.list("nudges", send.plan.nudges) { nudge, json in
            json.beginObject()
            json.put("kind", nudge.identity.kind.rawValue)
            json.put("key", nudge.identity.key)
            json.endObject()
        }
        json.key("devices")
        json.int(send.devices)
        json.endObject()
    }

    private static func write(_ nudge: PlannedNudge, to json: inout JSONWriter) {
        json.beginObject()
        json.put("kind", nudge.identity.kind.rawValue)
        json.put("key", nudge.identity.key)
        json.list("members", nudge.members) { member, json in json.string(member.key) }
        json.put("valid_until", nudge.validUntil?.rfc3339)
        json.key("asks_decision_service")
        json.bool(nudge.isToBeAsked)
        json.key("template")
        json.value(nudge.template.map { .int(Int64($0)) } ?? .null)
        json.list("devices", nudge.targets) { target, json in json.string(target.hash) }
        json.list("later", nudge.waiting) { left, json in json.string(left.deviceHash) }
        json.endObject()
    }

    private static func write(_ entry: DecisionRecorder.Entry, to json: inout JSONWriter) {
        let decision = entry.decision
        json.beginObject()
        json.put("kind", entry.kind.rawValue)
        json.put("key", entry.key)
        json.list("members", entry.members) { member, json in json.string(member) }
        json.put("action", decision.action.rawValue)
        json.put("reason", decision.reason.rawValue)
        json.put("next_at", decision.nextAt?.rfc3339)
        json.put("slot", decision.slot?.iso)
        json.key("urgent")
        json.bool(decision.urgent)
        json.put("valid_until", decision.validUntil?.rfc3339)
        json.list("trace", entry.trace) { step, json in
            json.beginObject()
            json.put("rule", step.rule)
            json.put("verdict", step.outcome)
            json.key("facts")
            json.value(.object(step.facts))
            json.endObject()
        }
        json.endObject()
    }

    private func write(_ read: ReadUser?, to json: inout JSONWriter) {
        guard let read else { return json.null() }
        let user = read.user
        json.beginObject()
        json.put("preferences", user.preferences)
        json.put("timezone", user.timezone)
        json.key("first_session_complete")
        json.bool(user.firstSessionComplete)
        json.put("last_evaluation", user.evaluatedAt?.rfc3339)
        json.put("since", user.since?.rfc3339)
        json.put("touched_at", user.touchedAt?.rfc3339)
        json.key("range")
        json.int(Int(read.range))
        json.put("owner", read.owner?.uuidString.lowercased())
        json.list("paused", paused.map(\.rawValue).sorted()) { kind, json in json.string(kind) }
        json.list("check_ins", user.history.checkIns) { checkIn, json in
            json.beginObject()
            json.put("at", checkIn.at.rfc3339)
            json.put("slot", checkIn.slot.iso)
            json.endObject()
        }
        json.list("sent", user.history.sent) { instant, json in json.string(instant.rfc3339) }
        json.list("closed", user.history.closed) { slot, json in json.string(slot.iso) }
        json.list("messages", user.messages) { message, json in
            json.beginObject()
            json.put("id", message.id.uuidString.lowercased())
            json.put("created_at", message.createdAt.rfc3339)
            json.key("urgent")
            json.bool(message.urgent)
            json.put("expires_at", message.expiresAt?.rfc3339)
            Self.write(message.due, to: &json)
            json.endObject()
        }
        json.put("next_message_from", user.messagesWakeAt?.rfc3339)
        json.key("has_more_messages")
        json.bool(user.hasMoreMessages)
        json.list("reminders", user.reminders.all) { reminder, json in Self.write(reminder, to: &json) }
        json.put("next_reminder_from", user.reminders.wakesAt?.rfc3339)
        json.key("has_more_reminders")
        json.bool(user.reminders.isPartial)
        json.key("retry")
        json.value(user.retry.flatMap { try? JSONValue(parsing: $0) } ?? .null)
        json.endObject()
    }

    /// When a message for later is due. Null: at once.
    private static func write(_ due: PendingReminder.Due?, to json: inout JSONWriter) {
        switch due {
        case nil:
            json.put("deliver_at", nil)
            json.put("deliver_local", nil)
        case .at(let instant)?:
            json.put("deliver_at", instant.rfc3339)
            json.put("deliver_local", nil)
        case .local(let time)?:
            json.put("deliver_at", nil)
            json.put("deliver_local", time.iso)
        }
    }

    private static func write(_ reminder: PendingReminder, to json: inout JSONWriter) {
        json.beginObject()
        json.put("id", reminder.id.uuidString.lowercased())
        json.put("subject_type", reminder.subjectType)
        json.put("subject_id", reminder.subjectID)
        switch reminder.due {
        case .at(let instant): json.put("due_at", instant.rfc3339)
        case .local(let time): json.put("due_local", time.iso)
        }
        json.put("timezone", reminder.timezone)
        json.put("recurrence", reminder.series?.rule)
        json.key("is_own")
        json.bool(reminder.isOwn)
        json.key("is_cancelled")
        json.bool(reminder.isCancelled)
        json.endObject()
    }

    private static func write(_ device: ExplainedDevice, to json: inout JSONWriter) {
        json.beginObject()
        json.put("device", device.hash)
        json.put("journal_name", device.journalName)
        json.put("environment", device.lane.environment)
        json.put("topic", device.lane.topic)
        json.put("registered_at", device.registeredAt?.rfc3339)
        switch device.state {
        case .served: json.put("state", "served")
        case .tried(let environment):
            json.put("state", "tried")
            json.put("tried_in", environment)
        case .moved(let environment):
            json.put("state", "moved")
            json.put("works_in", environment)
        case .otherEnvironment: json.put("state", "other_environment")
        case .otherTopic: json.put("state", "other_topic")
        case .quarantined(let at, let reason):
            json.put("state", "quarantined")
            json.put("since", at.rfc3339)
            json.put("reason", reason)
        }
        json.endObject()
    }

    private static func write(_ record: DeliveryRecord, to json: inout JSONWriter) {
        json.beginObject()
        json.put("kind", record.kind)
        json.put("key", record.key)
        json.put("slot", record.slot?.iso)
        json.put("device", record.deviceHash.isEmpty ? nil : record.deviceHash)
        json.put("apns_id", record.apnsID?.uuidString.lowercased())
        json.put("outcome", record.outcome.rawValue)
        json.put("reason", record.reason)
        json.key("status")
        json.value(record.status.map { .int(Int64($0)) } ?? .null)
        json.put("attempted_at", record.attemptedAt.rfc3339)
        json.key("decision")
        json.value(record.decision.flatMap { try? JSONValue(parsing: $0) } ?? .null)
        json.key("template")
        json.value(record.template.map { .int(Int64($0)) } ?? .null)
        json.endObject()
    }

    private static func write(_ template: Int32, _ outcome: TemplateOutcome, to json: inout JSONWriter) {
        json.beginObject()
        json.key("template")
        json.int(Int(template))
        json.put("result", outcome.name)
        if case .missing(let names) = outcome { json.list("missing", names) { name, json in json.string(name) } }
        json.endObject()
    }
}
