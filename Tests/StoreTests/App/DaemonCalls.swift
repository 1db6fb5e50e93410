import Foundation
import Policy
import Postgres
import Synchronization
import TestSupport
import TimeZones

@testable import Core

/// The daemon's side of a transcript: calls of `Store`, such as `settle ann=accepted bob=skipped:stale closed`.
///
/// Names are of users, kinds or daemons, `name=value` is an option, and what follows `show` are the members of the
/// answer to be shown. Nothing is shown of nil, false, 0 and what is empty.
actor DaemonCalls {
    private let fixture: F
    /// Daemons, memberships and intents by their names.
    private var ids: [String: UUID] = [:]
    private var member: UUID?
    private var users: [String: ClaimedUser] = [:]
    private var intents: [Intent] = []
    private var settlement: Settlement?
    private var kept: Settlement?
    private var fanOut: DueFanOut?
    private var question: PreviewQuestion?
    private var words: [String] = []
    private var options: [String: String] = [:]
    /// What a call refused before it ended or failed.
    private var refused: [Refusal] = []

    init(_ fixture: F) { self.fixture = fixture }

    func answer(_ call: String) async -> String {
        let parts = call.split(separator: " show ").map { $0.split(separator: " ").map(String.init) }
        words = parts[0].dropFirst().filter { !$0.contains("=") }
        options = parts[0].filter { $0.contains("=") }.reduce(into: [:]) { options, word in
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            options[String(parts[0])] = String(parts[1])
        }
        var lines: [String]
        refused = []
        do {
            for name in options.keys where !Self.names.contains(name) && !CallTranscriptTests.users.contains(name) {
                throw Unknown(word: name)
            }
            let values = try await play(parts[0][0])
            lines = values.map { Shown.line($0, parts.count > 1 ? parts[1] : []) }
        } catch let error as PostgresError {
            let said = [error.sqlState ?? "\(error.code)", error.condition, error.isFenced ? "fenced" : nil]
            lines = [said.compactMap(\.self).joined(separator: " ")]
        } catch {
            lines = ["\(error)"]
        }
        lines += refused.map { Shown.line($0, []) }
        for (name, id) in ids { lines = lines.map { $0.replacing(id.uuidString.lowercased(), with: name) } }
        return lines.joined(separator: "\n")
    }

    // MARK: What a call names

    private static func user(_ name: String) -> UUID {
        CallTranscriptTests.users.firstIndex(of: name).map { F.user($0 + 1) } ?? F.user(Int(name) ?? 0)
    }

    private static func name(_ user: UUID) -> String {
        let number = Int(user.uuid.14) << 8 + Int(user.uuid.15)
        return number <= CallTranscriptTests.users.count ? CallTranscriptTests.users[number - 1] : "\(number)"
    }

    private func id(_ name: String) -> UUID {
        let id = ids[name] ?? UUID()
        ids[name] = id
        return id
    }

    private func has(_ word: String) -> Bool { words.contains(word) }
    private func number(_ name: String, _ usual: Int) -> Int { options[name].flatMap { Int($0) } ?? usual }
    private var now: Instant { F.now + Int64(number("now", 0)) }
    private var limit: Int { number("limit", 100) }
    private var kinds: [NudgeKind] { words.compactMap(NudgeKind.init(rawValue:)) }
    private var named: [UUID] { words.filter(CallTranscriptTests.users.contains).map(Self.user) }

    private struct NothingYet: Error {}
    private struct Unknown: Error { let word: String }

    private static let names: Set = [
        "by", "daemon", "decision", "dropped", "due", "ended", "environment", "evaluated", "fraction", "ignored", "in",
        "inhand", "knows", "lease", "limit", "next", "now", "poison", "reason", "retry", "skipped", "spread", "stale",
        "state", "status", "template", "topic", "unchanged", "uptime", "with",
    ]

    /// What an earlier call of the chapter left.
    private func some<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw NothingYet() }
        return value
    }

    private var store: Store { fixture.store }

    /// The current membership; the first call that needs one joins.
    private func mine() async throws -> UUID {
        if let member { return member }
        let member = try await fixture.member()
        (self.member, ids["daemon"]) = (member, member)
        return member
    }

    /// Users with their outcomes, as in `ann=accepted`; without names, all claimed users.
    private func chosen() throws -> [(user: ClaimedUser, outcome: String?)] {
        let names = (words + options.keys).filter(CallTranscriptTests.users.contains)
        return try (names.isEmpty ? Array(users.keys) : names).map { (try some(users[$0]), options[$0]) }
            .sorted { $0.user.userID < $1.user.userID }
    }

    /// The ids of a user's messages and reminders with this title; `all`.
    private func waiting(_ user: ClaimedUser, _ title: String?) -> [UUID] {
        guard let title else { return [] }
        return user.messages.filter { title == "all" || $0.title == title }.map(\.id)
            + user.reminders.all.filter { title == "all" || $0.title == title }.map(\.id)
    }

    private func records(_ user: ClaimedUser, _ outcome: String?) throws -> [DeliveryRecord] {
        guard let outcome else { return [] }
        let parts = outcome.split(separator: ":").map(String.init)
        let template = options["template"].flatMap { Int32($0) }
        guard let kind = DeliveryRecord.Outcome(rawValue: parts[0]) else { throw Unknown(word: outcome) }
        if kind == .skipped { return [F.skipped(user, parts.dropFirst().first, decision: options["decision"])] }
        let hash = kind == .rejected ? try fixture.hash(user.devices[0].token) : "00000000000000aa"
        let status = options["status"].map { Int($0) } ?? (kind == .rejected ? 410 : 200)
        let fraction = Int32(number("fraction", 0))
        return [F.record(user, kind, hash: hash, status: status, fraction: fraction, template: template)]
    }

    private func change(_ user: ClaimedUser, _ outcome: String?) throws -> Change {
        let retry = options["poison"] == Self.name(user.userID) ? "planted-secret" : options["retry"]
        let (due, ended) = (F.now + Int64(number("due", 3600)), waiting(user, options["ended"]))
        var change = F.change(user, dueAt: due, retry: retry, ended: ended)
        change.records = try records(user, outcome)
        change.ignored = Int16(number("ignored", 0))
        change.reason = options["reason"].flatMap(Reason.init(rawValue:))
        change.state.template = options["template"].flatMap { Int32($0) }
        change.isOnlyIfUnchanged = options["unchanged"].map { $0.contains(Self.name(user.userID)) } ?? false
        if let after = options["stale"].flatMap({ Int64($0) }) {
            let (environment, topic) = (options["environment"] ?? "sandbox", options["topic"] ?? "com.example.app")
            let id = change.records.first?.apnsID
            change.staleTokens = [F.stale(user, id, after: after, environment: environment, topic: topic)]
        }
        if let next = options["next"] {
            change.continued = change.ended.map { Self.continuation(user.userID, $0, next) }
        }
        return change
    }

    /// The next occurrence, at a wall time or so many seconds from now.
    private static func continuation(_ user: UUID, _ id: UUID, _ due: String) -> ReminderContinuation {
        let wall = LocalDateTime(iso: "2026-11-21T09:00:00")!
        let hour = Int64(due).map { PendingReminder.Due.at(F.now + $0) } ?? .local(LocalDateTime(iso: due)!)
        let first = Int64(due) == nil ? PendingReminder.Due.local(wall) : .at(F.now - 86_400)
        return .init(userID: user, id: id, number: 4, first: first, planned: wall, due: hour, instant: F.now)
    }

    /// What an intent announces of a user: a check-in, or all that waits for them.
    private func announced(_ user: ClaimedUser) -> Change {
        let template = options["template"].flatMap { Int32($0) }
        var records: [DeliveryRecord] = []
        if !has("waiting") { records.append(F.record(user, .unknown, status: nil, template: template)) }
        for one in has("waiting") ? waiting(user, "all") : [] {
            let kind = user.reminders.all.contains { $0.id == one } ? "reminder" : "message"
            let isDropped = waiting(user, options["dropped"]).contains(one)
            var record = F.messageRecord(user, one, kind: kind, isDropped: isDropped)
            if isDropped { record.decision = options["decision"] }
            records.append(record)
        }
        if let reason = options["skipped"] {
            records.append(F.skipped(user, reason, slot: F.slot - 2, at: F.now - 86_400, decision: options["decision"]))
        }
        let ended = waiting(user, options["ended"])
        return F.announced(user, records, template: template, retry: options["retry"], ended: ended)
    }

    private func keep(_ claimed: [ClaimedUser]) -> [Any] {
        for user in claimed { users[Self.name(user.userID)] = user }
        return claimed
    }

    /// All pages of what goes from user to user.
    private func pages<Page>(_ next: (Page) -> UUID?, _ page: (UUID) async throws -> Page) async throws -> [Page] {
        var pages: [Page] = []
        var place: UUID? = Store.firstUser
        while let user = place {
            pages.append(try await page(user))
            place = pages.last.flatMap(next)
        }
        return pages
    }

    // MARK: Calls

    private func play(_ verb: String) async throws -> [Any] {
        if let answer = try await playMembership(verb) { return answer }
        if let answer = try await playCommand(verb) { return answer }
        if let answer = try await playReading(verb) { return answer }
        switch verb {
        case "claim":
            var refusals: [Refusal] = []
            defer { refused += refusals }
            // Whatever the last look for urgent messages cost on a loaded machine.
            store.claiming.with { $0.express = LookPace.express }
            let found = try await store.claim(
                ranges: F.ranges,
                now: now,
                startingOver: !has("on"),
                limit: limit,
                inHand: Set(options["inhand"]?.split(separator: ",").map { Self.user(String($0)) } ?? []),
                member: has("member") ? try await mine() : nil,
                intents: options["knows"].flatMap { Int($0) }.map { intents.prefix($0).map(\.id) } ?? [],
                onRefused: { refusals.append($0) }
            )
            if !has("on") { users = [:] }
            return has("count") ? [keep(found.users).count] : keep(found.users)
        case "read":
            return try await store.reading { [user = try some(named.first), now] in try await $0.user(user, now: now) }
                .map { [$0] }
                ?? ["nobody"]
        case "distributed": store.claiming.with { $0.isDistributed = true }
        case "remaining": return [try await store.remaining(now: now, ranges: has("others") ? [] : F.ranges)]
        case "commit":
            let chosen = try chosen().map(\.user)
            let messages = has("waiting") ? chosen : []
            let intent = F.intent(
                try await mine(),
                chosen.map(announced),
                messages: messages.flatMap { user in
                    waiting(user, "all").filter { !waiting(user, options["dropped"]).contains($0) }
                        .map { MessageReference(userID: user.userID, id: $0) }
                }
            )
            intents.append(intent)
            return [try await store.commit(intent)]
        case "recommit": return [try await store.commit(some(intents.last))]
        case "settle", "withdraw":
            var next = Settlement(try await mine(), [])
            if verb == "settle" { next.changes = try chosen().map { try change($0.user, $0.outcome) } }
            if has("closed") || has("part"), let intent = intents.last {
                let users = Set(next.changes.map(\.userID))
                let part = intent.changes.filter { users.contains($0.userID) }
                next.closed = [F.part(intent, part, isWhole: has("closed"))]
            }
            if verb == "withdraw" || has("withdrawn") { next.withdrawn = intents.last.map { [$0.id] } ?? [] }
            settlement = next
            var result = try await store.settle(next)
            result.refused.sort { $0.userID < $1.userID }
            return [result]
        case "keep": kept = settlement
        case "kept": return [try await store.settle(some(kept))]
        case "again":
            var again = try some(settlement)
            again.isRepeated = has("repeated")
            return [try await store.settle(again)]
        case "recover":
            if has("impatient") { store.claiming.with { $0.orphans = [:] } }
            var recovery = try await store.recoverOrphans(limit: limit)
            recovery.refused.sort { $0.userID < $1.userID }
            return [recovery]
        case "postpone":
            try await store.postpone(
                named.map { Postponement(userID: $0, version: users[Self.name($0)]?.version, until: F.now + 600) },
                member: try await mine()
            )
        case "drain":
            var refusals: [Refusal] = []
            defer { refused += refusals }
            let member = try await mine()
            let told = Mutex<[String]>([])
            let taken = try await store.drain(
                member: member,
                ranges: F.ranges,
                limit: limit,
                now: now,
                onChanged: { [fixture] users in
                    guard !users.isEmpty else { return }
                    let left = try? fixture.sql("select count(*) from nudged.touched")
                    told.withLock { $0.append("changed: \(users.map(Self.name)), while \(left ?? "no") touches wait") }
                },
                onRefused: { refusals.append($0) }
            )
            return [taken] + told.withLock(\.self)
        case "touched":
            var touched: [String] = []
            for user in named where try await store.isTouched(user) { touched.append(Self.name(user)) }
            return [touched]
        case "quarantine":
            let devices = try named.map(device)
            return [try await store.quarantine(devices, now: F.now)]
        case "analysed": return [try await store.analysed(some(named.first), member: try await mine())]
        case "analyse":
            return [try await store.noteAnalysed(some(named.first), member: try await mine(), [F.now, F.now + 7])]
        case "preferences": return [try await store.preferences(of: some(named.first)) ?? "none"]
        case "previews":
            let inHand = Set(has("inhand") ? [question].compactMap { $0?.message.id } : [])
            let found = try await store.openPreviews(ranges: F.ranges, inHand: inHand, limit: 100)
            question = found.first { named.isEmpty || named.contains($0.userID) } ?? question
            return has("count") ? [found.count] : found
        case "reply": try await store.answer(some(question), options["with"] ?? "{}")
        case "prune-previews": try await store.prunePreviews()
        case "prune-keys": return [try await store.pruneMessageKeys()]
        case "prune-reminders":
            var place: ReminderPlace? = .start
            var pages = 0
            while let from = place {
                place = try await store.pruneReminders(from: from)
                pages += 1
            }
            return [pages]
        case "fan-outs":
            let clock = Instant(seconds: try await store.clock() / 1_000_000)
            let found = try await store.dueFanOuts(
                now: clock + Int64(number("in", 1)),
                except: has("left") ? [some(fanOut).reminder.id] : [],
                limit: 100
            )
            fanOut = found.first ?? fanOut
            return found
        case "tell":
            var refusals: [Refusal] = []
            defer { refused += refusals }
            let next = try options["next"].map { Self.continuation(F.user(1), try some(fanOut).reminder.id, $0) }
            let told = try await store.tell(some(fanOut), next: next, limit: limit) { refusals.append($0) }
            if has("on"), case .told(_, let last) = told { fanOut = fanOut?.after(last) }
            return [told]
        case "wait":
            let clock = Instant(seconds: try await store.clock() / 1_000_000)
            return [try await store.wait(some(fanOut), until: clock + Int64(number("in", 0)))]
        case "drop": try await store.drop(some(fanOut), now: F.now)
        case "maintain": return [try await store.maintainDelivery()]
        case "templates": return try await store.templates()
        case "deliveries":
            return try await store.reading { [user = try some(named.first)] in
                try await $0.deliveries(of: user, from: F.now - 9, through: F.now + 9, limit: 9)
            }
        default: return ["no call: \(verb)"]
        }
        return []
    }

    private func device(_ user: UUID) throws -> EnvironmentNote {
        let row = try fixture.sql(
            """
            select left(encode(sha256(convert_to(device_token, 'UTF8')), 'hex'), 16), extract(epoch from updated_at) * 1000000
            from public.push_tokens where user_id = '\(user)'
            """
        ).split(separator: "|")
        return EnvironmentNote(
            userID: user,
            token: "",
            deviceHash: String(row[0]),
            environment: options["environment"] ?? "sandbox",
            topic: "com.example.app",
            state: .refused,
            registration: has("unregistered") ? nil : Int64(row[1].split(separator: ".")[0]),
            at: F.now,
            reason: options["reason"] ?? "BadDeviceToken"
        )
    }

    /// Daemons, memberships, leases.
    private func playMembership(_ verb: String) async throws -> [Any]? {
        let name = words.first ?? ""
        let lease = Int64(number("lease", 600_000))
        switch verb {
        case "member", "join":
            member = id(name)
            try await store.join(id(name), daemon: id(options["daemon"] ?? "daemon-\(name)"), leaseMilliseconds: lease)
            if verb == "member" { _ = try await store.renew(id(name), leaseMilliseconds: lease) }
        case "renew":
            guard let found = try await store.renew(id(name), leaseMilliseconds: lease) else { return ["no member"] }
            let rejoins = found.shouldRejoin ? ", should rejoin" : ""
            return ["\(found.ranges.count) ranges, \(found.free) free, \(found.living.count) living\(rejoins)"]
        case "leave": return [try await store.leave(id(name)) ? "left" : "may not leave"]
        case "end":
            try fixture.sql(
                "update nudged.lease set alive_until = now() - interval '1 ms' where member = '\(id(name))'"
            )
        case "declare-dead": return [try await store.declareDead(store.endedMembers(except: id(name)))]
        case "die": try fixture.die()
        case "beat":
            let uptime = Int64(number("uptime", 60_000))
            try await fixture.beat(id(name), state: options["state"] ?? "{}", uptime: uptime)
        case "gone": try await store.daemonGone(id(name))
        case "unseen": return try await store.workStatus().daemons.map { "\($0.unseenMilliseconds / 3_600_000) h" }
        case "status": return [try await store.workStatus()]
        case "living":
            let living = try await store.livingDaemons().map { one -> [String] in
                let hours = min(9_999, (one.leaseMilliseconds + 3_599_999) / 3_600_000)
                let process = one.pid.map { "\($0)" } ?? "no pid"
                return ["\(one.id)".lowercased(), one.host ?? "no host", process, "\(hours) h"]
            }
            return living.sorted { $0[1] < $1[1] }
        default: return nil
        }
        return []
    }

    /// What an operator's commands do.
    private func playCommand(_ verb: String) async throws -> [Any]? {
        switch verb {
        case "look":
            let clock = Instant(seconds: try await store.clock() / 1_000_000)
            let now = options["in"].flatMap { Int64($0) }.map { clock + $0 }
            return [try await store.look(now: now, checksBinding: has("binding"))]
        case "pause":
            return [try await store.pause(kinds, by: options["by"] ?? "ada@web-1", why: options["reason"])]
        case "pauses": return try await store.pauses()
        case "resume": return try await store.resume(kinds)
        case "end-resume": try await store.endResume(kinds)
        case "paused-users": return [try await store.pausedUsers(kinds) ?? [:]]
        case "wake":
            let evaluated = options["evaluated"].flatMap { Int64($0) }.map { F.now + $0...F.now }
            return try await pages({ $0.next }) {
                try await store.wakeUsers(from: $0, now: F.now, evaluated: evaluated, limit: limit)
            }
        case "count": return try await pages({ $0.next }) { try await store.count(.countUsers, from: $0, most: limit) }
        case "erase": return [try await store.eraseDeparted()]
        case "restore-touches":
            var rounds = 0
            while try await store.restoreTouches(before: now, limit: limit) { rounds += 1 }
            return [rounds]
        case "restore-intents": return [try await store.restoreIntents(limit: limit)]
        case "restore-users":
            return try await pages({ $0.next }) { try await store.restoreUsers(from: $0, now: now, limit: limit) }
        case "restorable-pushes": return [try await store.restorablePushes()]
        case "restorable":
            var dropped: [Any] = []
            for query in [Query.restoreMessages, .restoreReminders] {
                let pages = try await pages({ $0.next }) {
                    try await store.restorable(query, from: $0, now: now, limit: limit)
                }
                dropped.append(pages.reduce(into: DroppedRows()) { $0 += $1.dropped })
            }
            let newcomers = try await pages({ $0.next }) {
                try await store.count(.restoreNewcomers, from: $0, most: limit)
            }
            return dropped + newcomers
        default: return nil
        }
        return []
    }

    /// What commands read: a report of two weeks from 2026-03-20, and what the app's tables are to nudged.
    private func playReading(_ verb: String) async throws -> [Any]? {
        let start = Instant(rfc3339: "2026-03-20T00:00:00Z") ?? F.now
        let span = start..<start + 14 * 86_400
        let spread = number("spread", 0)
        switch verb {
        case "report-deliveries":
            return try await store.reporting { try await $0.deliveries(in: span, stretch: 7_200) }
        case "report-sweeps":
            let found = try await store.reporting { try await $0.sweeps(in: span, least: 20, most: 5) }
            return found.map { Shown.line($0, []) }.sorted()
        case "report-opens": return try await store.reporting { try await $0.opens(in: span) }
        case "report-holdout":
            let found = try await store.reporting { try await $0.holdout(in: span, since: start) }
            return ["with", found.with, "without", found.without]
        case "report-hours":
            let rules = Rules { $0.spreadMinutes = spread }
            let found = try await store.reporting { try await $0.hours(in: span, rules: rules) }
            // Hour 0 is one, too.
            var hours: [String] = []
            for var one in found.hours {
                let hour = one.hour.map { "\($0 / 10)\($0 % 10) h" } ?? "no hour"
                one.hour = nil
                hours.append("\(hour) \(Shown.line(one, []))")
            }
            return hours.sorted() + [found.people]
        case "report-retention": return [try await store.reporting { try await $0.retentionDays() }]
        case "written":
            return try await Connection.once(fixture.configuration) { (connection) async throws(PostgresError) in
                try await DatabaseFacts.Written.read(connection)
            }
        case "bind": return try await fixture.bind()
        case "faults":
            let faults: [BindingFault] = try await fixture.migrating { try await $0.bindingFaults() }
            return faults
        case "schema": return ["\(try await fixture.schemaState())"]
        default: return nil
        }
    }
}
