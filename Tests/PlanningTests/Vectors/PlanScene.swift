import APNs
import Fixtures
import JSON
import Testing
import TimeZones

@testable import Core
@testable import Policy

/// A user, a planner, and what a vector's lines make of them.
struct PlanScene {
    typealias F = PlannerFixture

    private var user = F.user().values
    private var rules = Rules.defaults
    private var lanes = LaneDirectory(standard: F.lane)
    private var paused: Set<NudgeKind> = []
    private var asksService = false
    private var templates: [StoredTemplate]?
    private var quarantined: [String] = []
    private var text = PlanText()

    /// - Returns: what comes out of a line.
    mutating func play(_ line: PlanLine) throws -> [String] {
        var line = line
        switch try line.word() {
        case "after":
            _ = try step(&line, isKept: true)
            return []
        case "at": return try step(&line, isKept: true)
        case "if": return try step(&line, isKept: false)
        case "day": text.day = F.date(try line.word())
        case "show": for part in ["answers", "badge", "payload"] where line.has(part) { text.shown.insert(part) }
        case "user": for (key, value) in line.allValues() { try set(key, value) }
        case "devices": user.devices = try line.rest().map(device)
        case "surface":
            let name = try line.word()
            user.surfaces[name] = try line.rest().map(device)
        case "preferences":
            let raw = line.words.isEmpty ? line.object(after: Self.daily) : try line.word()
            user.preferences = raw == "none" ? nil : raw
        case "rules": rules = try Rules(Field(value: JSONValue(parsing: line.object())).object())
        case "planner": try configure(&line)
        case "template":
            let template = try template(&line)
            templates = (templates ?? []).filter { $0.id != template.id } + [template]
        case "templates": templates = []
        case "message":
            let message = try message(&line)
            user.messages = user.messages.filter { $0.id != message.id } + [message]
        case "reminder":
            let reminder = try reminder(&line)
            user.reminders.all = user.reminders.all.filter { $0.id != reminder.id } + [reminder]
        case "gone":
            for word in line.rest() {
                let id = MessageFixture.id(try PlanLine.number(word))
                user.messages.removeAll { $0.id == id }
            }
        case "quarantine": try quarantine(&line)
        // Of what decisions depend on. An arrival would be `version=2`.
        case "changed":
            user.version = (user.version.changes + 1) << 32
            user.touchedAt = try text.instant(line.word())
        case let word: throw PlanLine.Malformed(what: word)
        }
        try line.end()
        return []
    }

    // MARK: Steps

    private var planner: Planner {
        var planner = F.planner(rules, lanes: lanes)
        if let templates { planner.checkInTexts = CheckInTexts(templates: templates) }
        planner.paused = paused
        planner.asksService = asksService
        return planner
    }

    private mutating func step(_ line: inout PlanLine, isKept: Bool) throws -> [String] {
        let times = try line.word().split(separator: "+")
        let now = try text.instant(String(times[0]))
        let answeredAt = now + (times.count > 1 ? try PlanLine.number(times[1]) : 0)
        var planner = planner
        let recorder = DecisionRecorder()
        if text.shown.contains("answers") { planner.recorder = recorder }
        let claimed = ClaimedUser(user)
        let plan = planner.plan(claimed, now: now)
        var lines = text.notices(plan.notices) + text.answers(recorder, to: user)
        var changes: [Change] = []
        switch plan {
        case .unreadable(let why):
            try line.end()
            lines.append("unreadable: \(why)")
        case .nothing(let rest, let reason, _):
            #expect(rest.reason == reason)
            try line.end()
            changes = [rest]
        case .send(let whole, _):
            let part = try part(of: whole, &line, answeredAt)
            lines += text.sent(part.nudges, lanes)
            if asksService, part.lacksConsent { lines.append("no consent") }
            if line.isEmpty, part.pushCount > 0 {
                lines += text.rest(part, now: now)
                break
            }
            changes = try line.words.split(separator: "|", omittingEmptySubsequences: false).map { answers in
                if Array(answers) == ["died"] { return F.recovered(part, by: planner, now: now) }
                let outcomes = try answers.map(Self.outcome)
                guard outcomes.count == part.pushCount else { throw PlanLine.Malformed(what: "answers") }
                return planner.settle(part, outcomes: outcomes, attemptedAt: now, now: answeredAt)
            }
        }
        for change in changes { lines += text.written(change, of: user, now: now) }
        if isKept {
            guard changes.count == 1 else { throw PlanLine.Malformed(what: "one next row is needed") }
            user = claimed.settled(changes[0]).values
        }
        return lines
    }

    /// What a later stage makes of a plan: the part for a `lane` that has streams, or for as much `room`; what is
    /// `sendable` later, while kinds are `pausing`; what the decision service `answers` to each nudge.
    private func part(of plan: SendPlan, _ line: inout PlanLine, _ answeredAt: Instant) throws -> SendPlan {
        var plan = plan
        if let environment = line.value("lane") {
            plan = plan.lane(preferring: { $0.environment == environment }).map(plan.part) ?? plan
        }
        if let room = line.value("room") {
            var pending = [plan][...]
            plan = SendPlan.take(upTo: try PlanLine.number(room), from: &pending).first ?? plan
        }
        let kinds = try line.value("pausing").map(Self.kinds) ?? []
        if let later = try line.value("sendable").map(text.instant) { plan = plan.sendable(at: later, paused: kinds) }
        if let answers = line.value("answers")?.split(separator: ",") {
            guard answers.count == plan.nudges.count else { throw PlanLine.Malformed(what: "answers") }
            var decided: [NudgeIdentity: DecisionOutcome] = [:]
            for (nudge, answer) in zip(plan.nudges, answers) { decided[nudge.identity] = try Self.decision(answer) }
            plan = plan.decided(decided, at: answeredAt, paused: kinds)
        }
        guard line.values.isEmpty else { throw PlanLine.Malformed(what: line.values[0].key) }
        return plan
    }

    /// The decision service's: `yes`, `yes:another-text`, `no` or `none`.
    private static func decision(_ answer: Substring) throws -> DecisionOutcome? {
        let parts = answer.split(separator: ":")
        guard parts[0] != "none" else { return nil }
        guard ["yes", "no"].contains(parts[0]) else { throw PlanLine.Malformed(what: String(answer)) }
        let text = parts.count > 1 ? #","body":"\#(parts[1])""# : ""
        let json = #"{"should_notify":\#(parts[0] == "yes"),"priority":"low","reason":"r"\#(text)}"#
        return DecisionOutcome(origin: .service, answer: try DecisionAnswer(parsing: Array(json.utf8), hiding: []))
    }

    /// `accepted`, `unknown`, `unsent`, `503`, `429:120` with the seconds of Retry-After, `410:1767225600123` with
    /// Apple's milliseconds, `suspect:REASON`. Another word is the reason of a 400.
    private static func outcome(_ word: String) throws -> PushOutcome {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        let detail = parts.count > 1 ? parts[1] : nil
        switch parts[0] {
        case "accepted": return .accepted
        case "unknown": return .unknown(reason: "no_answer")
        case "unsent": return .unsent(reason: "goaway")
        case "suspect": return .suspect(status: 400, reason: detail ?? PushOutcome.badDeviceToken)
        case "410":
            let deletes = try detail.map { TokenDeletion.olderThan(timestamp: try PlanLine.number($0)) }
            return .rejected(status: 410, reason: "Unregistered", deletes: deletes ?? .olderThanSend)
        case "429", "500", "503":
            let reasons = ["429": "TooManyRequests", "500": "InternalServerError", "503": "ServiceUnavailable"]
            let (status, again): (Int, Int?) = try (PlanLine.number(parts[0]), detail.map { try PlanLine.number($0) })
            return .delayed(reason: reasons[parts[0]] ?? "", status: status, retryAfter: again)
        default:
            guard word.first?.isUppercase == true else { throw PlanLine.Malformed(what: word) }
            return .rejected(status: 400, reason: word, deletes: nil)
        }
    }

    // MARK: What a claim reads

    private static let daily = [
        ("check_ins_enabled", "true"), ("frequency", #""daily""#), ("timezone", #""Asia/Tokyo""#),
        ("check_in_time", #""10:00""#),
    ].map { (key: $0.0, value: $0.1) }

    private mutating func set(_ key: String, _ value: String) throws {
        switch key {
        case "version": user.version = try PlanLine.number(value)
        case "since": user.since = try text.instant(value)
        case "evaluated": user.evaluatedAt = try text.instant(value)
        case "seen": user.seen = try text.instant(value)
        case "ignored": user.ignored = try PlanLine.number(value)
        case "template": user.state.template = try PlanLine.number(value)
        case "timezone": user.timezone = value
        case "context": user.context = value
        case "retry": user.retry = value
        case "quarantine": user.quarantine = value
        case "sent": user.state.history.sent = try value.split(separator: ",").map { try text.instant(String($0)) }
        case "check_ins":
            user.state.history.checkIns = try value.split(separator: ",").map { checkIn in
                let parts = checkIn.split(separator: "@").map(String.init)
                return CheckIn(at: try text.instant(parts[1]), slot: F.date(parts[0]))
            }
        case "unseen":
            let parts = value.split(separator: "@").map(String.init)
            let last = try text.instant(parts[1])
            user.state.history.unseen = UnseenPushes(count: try PlanLine.number(parts[0]), lastAt: last)
        case "more": (user.hasMoreMessages, user.reminders.isPartial) = (value == "messages", value == "reminders")
        case "wakes": user.messagesWakeAt = try text.instant(value)
        case "reminders_wake": user.reminders.wakesAt = try text.instant(value)
        default: throw PlanLine.Malformed(what: key)
        }
    }

    /// `2` is the second token. `2@production` names its environment, `2@production/TOPIC` the topic as well.
    /// `2:00:59:59` is when it was registered. `2^` has capital letters.
    private func device(_ word: String) throws -> Device {
        let parts = word.split(separator: ":", maxSplits: 1).map(String.init)
        let lane = parts[0].split(separator: "@").map(String.init)
        let token = F.token(try PlanLine.number(lane[0].prefix { $0.isNumber }))
        let names = lane.count > 1 ? lane[1].split(separator: "/").map(String.init) : []
        let spelt = lane[0].hasSuffix("^") ? token.uppercased() : token
        let registered = try text.instant(parts.count > 1 ? parts[1] : "2026-01-01T00:00:00")
        let topic = names.count > 1 ? names[1] : nil
        return Device(token: spelt, registeredAt: registered, environment: names.first, topic: topic)
    }

    private static func kinds(_ names: String) throws -> Set<NudgeKind> {
        let kinds = names.split(separator: ",").map { NudgeKind(rawValue: String($0)) }
        guard !kinds.contains(nil) else { throw PlanLine.Malformed(what: names) }
        return Set(kinds.compactMap(\.self))
    }

    private mutating func configure(_ line: inout PlanLine) throws {
        if let names = line.value("paused") { paused = try Self.kinds(names) }
        if let names = line.value("lanes") {
            let all = names.split(separator: ",").map { name in
                let parts = name.split(separator: "/").map(String.init)
                return LaneIdentity(environment: parts[0], topic: parts.count > 1 ? parts[1] : F.lane.topic)
            }
            lanes = LaneDirectory(standard: all[0], others: Array(all.dropFirst()))
        }
        asksService = line.has("service") || asksService
    }

    private func template(_ line: inout PlanLine) throws -> StoredTemplate {
        let id: Int32 = try line.number()
        var template = StoredTemplate(id: id, title: line.value("title") ?? "", body: line.value("body") ?? "")
        (template.apns, template.data) = (line.value("apns"), line.value("data"))
        return template
    }

    /// Without `created`, number 7 was sent at 05:59:07.
    private func message(_ line: inout PlanLine) throws -> PendingMessage {
        let number: UInt8 = try line.number()
        let created = try line.value("created").map(text.instant) ?? text.instant("05:59:00") + Int64(number)
        var message = PendingMessage(id: MessageFixture.id(number), createdAt: created, title: "Hi", body: "there")
        message.urgent = line.has("urgent")
        for (key, value) in line.allValues() {
            switch key {
            case "title": message.title = value
            case "body": message.body = value
            case "data": message.data = value
            case "conversation": message.conversationID = value
            case "category": message.category = value
            case "key": message.collapseKey = value
            case "expires": message.expiresAt = try text.instant(value)
            case "apns": message.apns = value
            case "texts": message.texts = value
            case "at": message.due = .at(try text.instant(value))
            case "wall": message.due = ReminderFixture.wall(value)
            case "microseconds": message.createdAtMicroseconds = try created.microseconds + PlanLine.number(value)
            default: throw PlanLine.Malformed(what: key)
            }
        }
        return message
    }

    private func reminder(_ line: inout PlanLine) throws -> PendingReminder {
        let number: UInt8 = try line.number()
        let wall = line.value("wall").map(ReminderFixture.wall)
        let due = try wall ?? .at(text.instant(line.value("at") ?? ""))
        return ReminderFixture.reminder(
            due,
            number: number,
            of: try line.value("of").map { ReminderFixture.id(try PlanLine.number($0)) },
            about: line.value("about") ?? "7",
            timezone: line.value("timezone"),
            isOwn: !line.has("others"),
            series: line.value("rule").map { ReminderFixture.series($0, due) },
            restoredAt: try line.value("restored").map(text.instant),
            isCancelled: line.has("cancelled")
        )
    }

    /// `quarantine 1@production refused at=06:01:00`. It replaces what was known of the device on that lane.
    private mutating func quarantine(_ line: inout PlanLine) throws {
        let word = try line.word()
        let (device, state) = (try device(word), try line.word())
        let (hash, lane) = (PushIdentity.deviceHash(token: device.token), lanes.wanted(by: device))
        let place = #"{"device":"\#(hash)","environment":"\#(lane.environment)","topic":"\#(lane.topic)","#
        let at = try text.instant(line.value("at") ?? "").rfc3339
        let reason = line.value("reason") ?? PushOutcome.badDeviceToken
        quarantined.removeAll { $0.hasPrefix(place) }
        quarantined.append(
            place + #""registered_at":\#(device.registration ?? 0),"at":"\#(at)","reason":"\#(reason)""#
                + (state == "refused" ? "}" : #","state":"\#(state)"}"#)
        )
        user.quarantine = "[\(quarantined.joined(separator: ","))]"
    }
}
