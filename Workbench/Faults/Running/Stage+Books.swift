import Base
import APNsSimulator
import JSON
import LocalPostgres
import TimeZones

extension Stage {
    /// Serves users who are still due by `run --once`, then compares both sides.
    func close() async throws -> RoundResult {
        try await serveRest()
        let endedAt = WallTime.milliseconds() / 1000
        var books = Books()
        books.people = population.people
        let comparison = comparison.withLock { $0 }
        if comparison == nil {
            books.due = try await onOwnThread { try self.due(from: self.startedAt - 2, to: endedAt + 2) }
        }
        try await readDatabase(&books)
        let gone = simulator.snapshot().answered.filter { $0.status == 410 }
        books.answeredGone = Set(gone.map { $0.token.lowercased() })
        try await excuseStandstills()
        let own = try await comparison?(self)
        let read = books
        return result.withLock { result in
            result.books = read
            result.check = own ?? BookCheck(read, allowing: result.allowance)
            return result
        }
    }

    private func serveRest() async throws {
        // No daemon is left. A stop that the database did not answer leaves its lease.
        try await endLeases()
        // The row's own settings may be too impatient for a busy machine.
        let process = try startOnce(Self.patience)
        let exit = try await finish(process)
        let output = "\(process.output) \(process.errorOutput.suffix(1500))"
        if exit != .code(0) { fail("the last run --once ended by \(exit): \(output)") }
    }

    /// Pushes that were in flight while the machine stood still: Apple answers within a second or so.
    private func excuseStandstills() async throws {
        for gap in MachineClock.shared.standstills where gap.upperBound / 1000 >= startedAt {
            let ids = try await lines(
                """
                select distinct apns_id from nudged.delivery where outcome = 'unknown' and apns_id is not null
                and attempted_at between to_timestamp(\(gap.lowerBound) / 1000.0) - interval '10 seconds'
                    and to_timestamp(\(gap.upperBound) / 1000.0)
                """
            )
            allow { $0.stoodStill.formUnion(ids) }
            note("stood still for \((gap.upperBound - gap.lowerBound) / 1000) s")
        }
    }

    private func readDatabase(_ books: inout Books) async throws {
        try await readAccepted(&books)
        let record = "select user_id, kind, key, device_hash, apns_id, outcome from nudged.delivery"
        books.record = try await rows(record).map {
            .init(user: $0[0], kind: $0[1], key: $0[2], deviceHash: $0[3], apnsID: $0[4], outcome: $0[5])
        }
        books.tokensLeft = Set(try await lines("select device_token from public.push_tokens"))
        books.open = Array(try await openIntents())
        let left = "nudged.person where due_at <= now() - interval '3 seconds'"
        books.left = try await lines("select user_id || ': due ' || due_at from \(left)")
        let next = "select user_id, 'due ' || due_at, 'turn ' || turn, coalesce(reason, 'no reason') from nudged.person"
        for row in try await rows(next) { books.next[row[0]] = row[1...].joined(separator: ", ") }
    }

    /// Reads each accepted push with its user's local minute, by PostgreSQL's own zones.
    private func readAccepted(_ books: inout Books) async throws {
        books.accepted = taken.all
        let instants = books.accepted.map { "\($0.at)" }.joined(separator: ",")
        let zones = books.accepted.map { population.owners[$0.token]?.zone ?? "" }.joined(separator: ",")
        let minutes = """
            select n - 1, (extract(hour from l) * 60 + extract(minute from l))::int4
            from unnest(string_to_array('\(instants)', ',')::int8[], string_to_array('\(zones)', ',', '')) with ordinality as a (at, zone, n)
            left join lateral (select to_timestamp(at / 1000.0) at time zone zone as l) t on true
            """
        for row in try await rows(minutes) {
            guard let place = Int(row[0]) else { throw FaultError("the minute of no push: \(row)") }
            books.accepted[place].localMinute = Int(row[1])
        }
        let tokens = population.people.flatMap(\.devices).map(\.token).joined(separator: ",")
        let hashes = """
            select t, left(encode(sha256(convert_to(lower(t), 'UTF8')), 'hex'), 16)
            from unnest(string_to_array('\(tokens)', ',')) as t
            """
        for row in try await rows(hashes) { books.hashes[row[0]] = row[1] }
    }
}

/// A second reading of the policy: Tests/Reference/policy_reference.py, written from docs/POLICY-SPEC.md alone.
extension Stage {
    /// The check-ins that were due between two instants (seconds since 1970). An answer is certain if it is the same at
    /// both ends. Slots last for hours, so it was then the same in between.
    private func due(from start: Int64, to end: Int64) throws -> [Books.Due] {
        let (first, last) = (try slots(at: start), try slots(at: end))
        return try population.people.flatMap { person -> [Books.Due] in
            guard let before = first[person.id], let after = last[person.id] else {
                throw FaultError("the reference has no answer for \(person.id)")
            }
            return Set([before, after].compactMap(\.self)).map { slot in
                Books.Due(user: person.id, key: slot, isCertain: before == after)
            }
        }
    }

    /// By user: the slot that is to be sent, or nil.
    private func slots(at instant: Int64) throws -> [String: String?] {
        let path = "\(folder)/questions.jsonl"
        let now = Instant(seconds: instant).rfc3339
        try TextFile.write(path, population.people.map { Self.question($0, now: now) + "\n" }.joined())
        let answers = try ChildProcess.run(["python3", workshop.reference], input: .file(path))
        return try answers.split(separator: "\n").reduce(into: [:]) { slots, line in
            let value = try JSONValue(parsing: String(line))
            guard let id = value["id"]?.text, let action = value["action"]?.text else { return }
            slots.updateValue(action == "send" ? value["slot"]?.text ?? "" : nil, forKey: id)
        }
    }

    private static func question(_ person: FaultRecipient, now: String) -> String {
        func instant(_ seconds: Int64) -> String { "\"\(Instant(seconds: seconds).rfc3339)\"" }
        let checkIns = person.checkIns.map { #"{"at":\#(instant($0.at)),"slot":"\#($0.slot)"}"# }.joined(separator: ",")
        return #"{"id":"\#(person.id)","kind":"check_in","now":"\#(now)","user_id":"\#(person.id)","preferences":"#
            + #"\#(person.preferences ?? "null"),"timezone":\#(person.timezone.map { "\"\($0)\"" } ?? "null"),"#
            + #""first_session_complete":\#(person.firstSession),"devices":\#(person.served.count),"#
            + #""since":\#(person.since.map(instant) ?? "null"),"check_ins":[\#(checkIns)],"#
            + #""sent":[\#(person.sent.map(instant).joined(separator: ","))]}"#
    }
}

/// The simulated Apple's log of accepted pushes: token, apns-id and the instant in milliseconds.
final class TakenPushes: Sendable {
    private let pushes = Mutex<[(push: Books.Accepted, machine: Int64)]>([])

    func add(_ push: AcceptedPush) {
        let moment = Moment.now
        let id = push.apnsID.uuidString.lowercased()
        let accepted = Books.Accepted(token: push.token.lowercased(), apnsID: id, at: moment.at)
        pushes.withLock { $0.append((accepted, moment.machine)) }
    }

    var all: [Books.Accepted] { timed.map(\.push) }
    var timed: [(push: Books.Accepted, machine: Int64)] { pushes.withLock { $0 } }
    var count: Int { pushes.withLock { $0.count } }

    func first(after instant: Int64) -> Int64? { pushes.withLock { $0.first { $0.push.at > instant }?.push.at } }
}
