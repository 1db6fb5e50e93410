import APNs
import Fixtures
import JSON
import Policy
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// How a vector writes plans and rows, and reads instants.
struct PlanText {
    typealias F = PlannerFixture

    var day = F.date("2026-11-20")
    /// `answers`, `badge`, `payload`.
    var shown: Set<String> = []
    private var pushes: [UUID] = []
    private var schedules: [Int64] = []
    private var others: [UUID] = []
    private var values: [UInt64] = []

    private static let devices = Dictionary(
        uniqueKeysWithValues: (0...300).map { (PushIdentity.deviceHash(token: F.token($0)), "\($0)") }
    )

    // MARK: Instants and names

    func instant(_ text: String) throws -> Instant {
        let start = text.utf8.count == 8 ? "\(day.iso)T" : text.utf8.count == 14 ? "\(day.iso.prefix(5))" : ""
        guard let instant = Instant(rfc3339: "\(start)\(text)Z") else { throw PlanLine.Malformed(what: text) }
        return instant
    }

    private func show(_ instant: Instant) -> String {
        let text = String(instant.rfc3339.dropLast())
        if text.hasPrefix("\(day.iso)T") { return String(text.dropFirst(11)) }
        return text.hasPrefix(day.iso.prefix(5)) ? String(text.dropFirst(5)) : text
    }

    private func show(_ due: PendingReminder.Due) -> String {
        switch due {
        case .at(let instant): show(instant)
        case .local(let time): "wall \(time.iso)"
        }
    }

    /// `message 1`, `reminder 1`; of another row, its place among those.
    mutating func name(_ id: UUID) -> String {
        if let number = (0...255).first(where: { MessageFixture.id($0) == id }) { return "message \(number)" }
        if let number = (0...255).first(where: { ReminderFixture.id($0) == id }) { return "reminder \(number)" }
        return "other \(Self.place(id, in: &others) + 1)"
    }

    private static func place<Value: Equatable>(_ value: Value, in values: inout [Value]) -> Int {
        if let place = values.firstIndex(of: value) { return place }
        values.append(value)
        return values.count - 1
    }

    private mutating func name(_ kind: String, _ key: String) -> String {
        let digest = "digest:"
        let isDigest = key.hasPrefix(digest)
        let own = isDigest ? String(key.dropFirst(digest.count)) : key
        guard let id = UUID(uuidString: own), id.uuidString.lowercased() == own else { return "\(kind) \(key)" }
        let name = name(id)
        let isOfKind = name.hasPrefix("\(kind) ") || name.hasPrefix("other ")
        return (isDigest ? "digest of " : "") + (isOfKind ? name : "\(kind) \(name)")
    }

    private mutating func name(_ identity: NudgeIdentity) -> String { name(identity.kind.rawValue, identity.key) }

    private mutating func names(_ identities: [NudgeIdentity]) -> String {
        identities.map { name($0) }.joined(separator: ", ")
    }

    private func device(_ hash: String) -> String { Self.devices[hash] ?? hash }

    private mutating func push(_ hash: String, _ id: UUID) -> String {
        let place = Self.place(id, in: &pushes)
        return
            "\(device(hash))/\(UnicodeScalar(UInt8(ascii: "a") + UInt8(place % 26)))\(place < 26 ? "" : "\(place / 26)")"
    }

    private func left(_ left: [Retry.Left]) -> String {
        left.map { one in
            let from = one.notBefore.seconds == 0 ? "at once" : "from \(show(one.notBefore))"
            return "\(device(one.deviceHash)) \(one.isRepeat ? "again " : "")\(from)"
        }.joined(separator: ", ")
    }

    // MARK: What is sent

    /// One line for each nudge, or for nudges that differ by nothing but their name and pushes.
    mutating func sent(_ nudges: [PlannedNudge], _ lanes: LaneDirectory) -> [String] {
        var lines: [(names: String, tail: String)] = []
        for nudge in nudges {
            let name = "\(name(nudge.identity)) to \(targets(nudge, lanes))"
            let tail = tail(nudge)
            if let last = lines.last, last.tail == tail, !shown.contains("payload") {
                lines[lines.count - 1].names += "; \(name)"
            } else {
                lines.append((name, tail))
            }
        }
        return lines.map { "send \($0.names)\($0.tail)" }
    }

    private mutating func targets(_ nudge: PlannedNudge, _ lanes: LaneDirectory) -> String {
        var to: [String] = []
        for target in nudge.targets {
            var words = [push(target.hash, target.apnsID)]
            if target.lane.environment != lanes.standard.environment { words[0] += "@\(target.lane.environment)" }
            if target.lane.topic != lanes.standard.topic { words[0] += "/\(target.lane.topic)" }
            if target.isRepeat { words.append("again") }
            if target.trial != .closed { words.append("\(target.trial)") }
            to.append(words.joined(separator: " "))
        }
        return to.joined(separator: ", ")
    }

    private mutating func tail(_ nudge: PlannedNudge) -> String {
        var tail = ""
        func add(_ word: String?) { if let word { tail += ", \(word)" } }
        if !nudge.waiting.isEmpty { add("then \(left(nudge.waiting))") }
        add(nudge.validUntil.map { "until \(show($0))" })
        if nudge.validUntil != nudge.expiresAt { add("expires \(show(nudge.expiresAt))") }
        if nudge.endsAt != (nudge.identity.kind == .checkIn ? nudge.validUntil : nil) {
            add(nudge.endsAt.map { "ends \(show($0))" } ?? "no end")
        }
        if nudge.attemptsBefore > 0 { add("attempt \(nudge.attemptsBefore)") }
        add(nudge.countedAt.map { "counted \(show($0))" })
        if nudge.members != [nudge.identity] { add("of \(names(nudge.members))") }
        if nudge.collapseKey != nudge.identity.key { add("collapse \(Self.escaped(nudge.collapseKey))") }
        if nudge.type != .alert { add("\(nudge.type)") }
        if nudge.isUrgent { add("urgent") }
        if nudge.isSilent { add("silent") }
        if nudge.badgeIncrement > 0 { add("counts \(nudge.badgeIncrement)") }
        if nudge.isToBeAsked { add("asked") }
        add(nudge.template.map { "template \($0)" })
        if shown.contains("badge") {
            let aps = (try? JSONValue(parsing: nudge.payload))?["aps"]
            add(aps?["badge"]?.integer.map { "badge \($0)" } ?? "no badge")
        }
        if shown.contains("payload") { tail += "\n    \(named(String(decoding: nudge.payload, as: UTF8.self)))" }
        return tail
    }

    /// Other bytes are another text here.
    private static func escaped(_ text: String) -> String {
        "\"\(text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined())\""
    }

    private mutating func named(_ text: String) -> String {
        var text = text
        for match in text.matches(of: /[0-9a-f]{8}-[0-9a-f]{4}-4000-8000-[0-9a-f]{12}/) {
            if let id = UUID(uuidString: String(match.output)) { text = text.replacing(match.output, with: name(id)) }
        }
        return text
    }

    /// What is known of a plan before its outcomes.
    mutating func rest(_ plan: SendPlan, now: Instant) -> [String] {
        var line: [String] = []
        if !plan.ended.isEmpty { line.append("ended [\(names(plan.ended))]") }
        if let due = plan.draft.dueAt { line.append("others due \(show(due))") }
        if plan.draft.isPartial { line.append("more is left") }
        let rest = line.isEmpty ? [] : ["rest: \(line.joined(separator: ", "))"]
        return rest + plan.draft.retries.map { left($0) } + records(plan.records, now: now)
    }

    mutating func answers(_ recorder: DecisionRecorder, to user: ClaimedUser.Values) -> [String] {
        var lines: [String] = []
        for entry in recorder.entries {
            // It names a message, and has no text of it.
            #expect(!user.messages.contains { !$0.body.isEmpty && "\(entry)".contains($0.body) })
            let decision = entry.decision
            let key = entry.key ?? decision.slot?.iso
            let nudge = key.map { name(entry.kind.rawValue, $0) } ?? entry.kind.rawValue
            var line = ["answer \(nudge): \(decision.action)", decision.reason.rawValue]
            if let next = decision.nextAt { line.append("next \(show(next))") }
            if let until = decision.validUntil { line.append("until \(show(until))") }
            if decision.urgent { line.append("urgent") }
            if entry.members != (entry.key.map { [$0] } ?? []) { line.append("of \(entry.members)") }
            let trace = entry.trace.map(\.rule).joined(separator: " ")
            lines.append(line.joined(separator: " ") + (trace.isEmpty ? "" : "; by \(trace)"))
        }
        return lines + recorder.templateOutcomes.map { "template \($0.template) \($0.outcome.text)" }
    }

    /// The same number is the same value.
    mutating func notices(_ notices: [Notice]) -> [String] {
        notices.map { "notice \($0.value.event) \(Self.place($0.value.hash, in: &values) + 1)" }
    }

    // MARK: What is written

    mutating func written(_ change: Change, of user: ClaimedUser.Values, now: Instant) -> [String] {
        #expect(change.userID == user.userID && change.turn == user.turn)
        #expect(change.version == nil || change.version == user.version)
        #expect(UserState(bytes: change.state.bytes) == change.state)
        let retries = change.retry.map(Retry.all(json:)) ?? []
        #expect(Retry.json(retries) == change.retry && change.retry.map(Retry.knows(json:)) != false)

        var row = [change.version == nil ? "row: due as before" : "row: due \(show(change.dueAt))"]
        if let reason = change.reason { row[0] += " (\(reason.rawValue))" }
        func add(_ isOther: Bool, _ text: @autoclosure () -> String) { if isOther { row.append(text()) } }
        add(change.evaluatedAt != now, "evaluated \(show(change.evaluatedAt))")
        add(change.since != user.since, "since \(change.since.map(show) ?? "none")")
        if change.state.fingerprint != user.fingerprint {
            let number = change.state.fingerprint.map { Self.place($0, in: &schedules) + 1 }
            row.append("schedule \(number.map(String.init) ?? "none")")
        }
        add(change.state.template != user.template, "template \(change.state.template.map(String.init) ?? "none")")
        let (history, before) = (change.state.history, user.history)
        add(history.sent != before.sent, "sent [\(history.sent.map(show).joined(separator: " "))]")
        let checkIns = history.checkIns.map { "\($0.slot.iso)@\(show($0.at))" }
        add(history.checkIns != before.checkIns, "check_ins [\(checkIns.joined(separator: " "))]")
        add(history.closed != before.closed, "closed [\(history.closed.map(\.iso).joined(separator: " "))]")
        let unseen = history.unseen.map { "\($0.count) until \(show($0.lastAt))" }
        add(history.unseen != before.unseen, "unseen \(unseen ?? "none")")
        add(change.ignored != user.ignored, "ignored \(change.ignored)")
        add(change.isOnlyIfUnchanged, "only if unchanged")
        let ended = change.ended.map { name($0) }
        add(!ended.isEmpty, "ended [\(ended.joined(separator: ", "))]")
        var lines = [row.joined(separator: ", ")] + retries.map { left($0) } + records(change.records, now: now)
        for next in change.continued {
            #expect(next.userID == user.userID)
            lines.append(
                "then \(name(next.id)): number \(next.number), due \(show(next.due)), at \(show(next.instant)), "
                    + "planned \(next.planned.iso), first \(show(next.first))"
            )
        }
        for token in change.staleTokens {
            #expect(token.userID == user.userID)
            let hash = PushIdentity.deviceHash(token: token.token)
            let lane = "\(token.environment) \(token.topic)"
            lines.append("delete: \(push(hash, token.apnsID)) \(lane) before \(token.unregisteredAt)")
        }
        for note in change.environments {
            #expect(note.userID == user.userID && PushIdentity.deviceHash(token: note.token) == note.deviceHash)
            #expect(note.at == now)
            let registered = note.registration.flatMap { Instant(microseconds: $0) }.map(show) ?? "-"
            lines.append(
                "note: \(device(note.deviceHash))@\(note.environment)/\(note.topic):\(registered) \(note.state) "
                    + "\(note.reason)"
            )
        }
        return lines
    }

    private mutating func left(_ retry: Retry) -> String {
        var line = ["left \(name(retry.identity)): \(left(retry.left))"]
        if retry.members != [retry.identity] { line.append("of \(names(retry.members))") }
        if retry.attempt > 0 { line.append("attempt \(retry.attempt)") }
        if let countedAt = retry.countedAt { line.append("counted \(show(countedAt))") }
        if let until = retry.validUntil { line.append("until \(show(until))") }
        line.append("version \(retry.version)")
        return line.joined(separator: ", ")
    }

    /// A nudge's rows, or those of nudges with the same rows, follow its name.
    private mutating func records(_ records: [DeliveryRecord], now: Instant) -> [String] {
        var groups: [(name: String, rows: String)] = []
        for record in records {
            let isCheckIn = record.kind == NudgeKind.checkIn.rawValue
            #expect(record.userID == F.userID && record.slot?.iso == (isCheckIn ? record.key : nil))
            #expect(record.fraction == 0)
            let (name, tail, row) = (name(record.kind, record.key), tail(record, now: now), row(record))
            if let last = groups.last, last.name == name, last.rows.hasPrefix(tail + ": ") {
                groups[groups.count - 1].rows += ", \(row)"
            } else {
                groups.append((name, "\(tail): \(row)"))
            }
        }
        var parts: [(names: String, rows: String)] = []
        for group in groups {
            if let last = parts.last, last.rows == group.rows {
                parts[parts.count - 1].names += ", \(group.name)"
            } else {
                parts.append((group.name, group.rows))
            }
        }
        return parts.isEmpty ? [] : ["record \(parts.map { $0.names + $0.rows }.joined(separator: "; "))"]
    }

    private func tail(_ record: DeliveryRecord, now: Instant) -> String {
        var tail: [String] = []
        if record.attemptedAt != now { tail.append("at \(show(record.attemptedAt))") }
        if let minute = record.localMinute { tail.append(Self.weekTime(Int(minute))) }
        if let template = record.template { tail.append("template \(template)") }
        if let decision = record.decision { tail.append(decision) }
        return tail.isEmpty ? "" : " (\(tail.joined(separator: ", ")))"
    }

    private mutating func row(_ record: DeliveryRecord) -> String {
        var row: [String] = []
        if let id = record.apnsID {
            row.append(push(record.deviceHash, id))
        } else if !record.deviceHash.isEmpty {
            row.append(device(record.deviceHash))
        }
        row.append(record.outcome.rawValue)
        if let status = record.status { row.append("\(status)") }
        if let reason = record.reason { row.append(reason) }
        return row.joined(separator: " ")
    }

    /// A minute of the week, from Monday on.
    private static func weekTime(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let days = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return "\(days[minute / 1440]) \(two(minute % 1440 / 60)):\(two(minute % 60))"
    }
}
