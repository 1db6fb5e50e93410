import Base
import APNsSimulator
import LocalPostgres
import Postgres

extension Stage {
    /// Serves users who are still due by `run --once`, then compares both sides.
    func close() async throws -> RoundResult {
        try await serveRest()
        let endedAt = WallTime.milliseconds() / 1000
        var books = Books()
        books.people = population.people
        let (reference, people, start) = (
            Reference(script: workshop.reference, folder: folder), population.people, startedAt
        )
        if round.scenery.check == nil {
            books.due = try await onOwnThread { try reference.due(people, from: start - 2, to: endedAt + 2) }
        }
        try await readDatabase(&books)
        books.answeredGone = Set(
            simulator.snapshot().answered.filter { $0.status == 410 }.map { $0.token.lowercased() }
        )
        try await excuseStandstills()
        let own = try await round.scenery.check?(self)
        let notes = notebook.withLock { $0 }
        return RoundResult(
            name: round.name,
            books: books,
            allowance: notes.allowance,
            check: own ?? BookCheck(books, allowing: notes.allowance),
            recovery: notes.recovery,
            notes: notes.notes,
            failures: notes.failures
        )
    }

    private func serveRest() async throws {
        // No daemon is left. A stop that the database did not answer leaves its lease.
        try await endLeases()
        // The row's own settings may be too impatient for a busy machine.
        let process = try start(["run", "--once", "--json"], Self.patience)
        let exit = try await finish(process)
        guard exit != .code(0) else { return }
        fail(
            "the last run --once ended by \(String(describing: exit)): \(process.output) \(process.errorOutput.suffix(1500))"
        )
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
        let connection = try await connect()
        try await readAccepted(&books, connection)
        let record = try await connection.run(
            Statement(
                "record",
                sql:
                    "select user_id::text, kind, key, device_hash, coalesce(apns_id::text, ''), outcome from nudged.delivery"
            )
        )
        for row in 0..<record.count {
            books.record.append(
                Books.Recorded(
                    user: try record.text(row, 0),
                    kind: try record.text(row, 1),
                    key: try record.text(row, 2),
                    deviceHash: try record.text(row, 3),
                    apnsID: try record.text(row, 4),
                    outcome: try record.text(row, 5)
                )
            )
        }
        books.tokensLeft = Set(try await texts(connection, "select device_token from public.push_tokens"))
        books.open = Array(
            Self.pushes(try await texts(connection, "select encode(o.content, 'hex') from \(Self.openUsers)"))
        )
        books.left = try await texts(
            connection,
            """
            select user_id || ': due ' || due_at from nudged.person
            where due_at <= now() - interval '3 seconds'
            """
        )
        await connection.close()
    }

    /// Reads each accepted push with its user's local minute, by PostgreSQL's own zones.
    private func readAccepted(_ books: inout Books, _ connection: Connection) async throws {
        let zones = Dictionary(
            population.people.flatMap { person in person.devices.map { ($0.token, person.zone) } },
            uniquingKeysWith: { first, _ in first }
        )
        books.accepted = taken.all
        let minutes = try await connection.run(
            Statement(
                "wall clocks",
                sql: """
                    select (extract(hour from l) * 60 + extract(minute from l))::int4
                    from unnest($1::int8[], $2::text[]) with ordinality as a (at, zone, n)
                    left join lateral (select to_timestamp(at / 1000.0) at time zone zone as l) t on true
                    order by n
                    """,
                parameters: [
                    .int8Array(books.accepted.map(\.at)), .textArray(books.accepted.map { zones[$0.token] ?? nil }),
                ]
            )
        )
        for row in 0..<minutes.count { books.accepted[row].localMinute = try minutes.int4OrNull(row, 0).map(Int.init) }
        let tokens = population.people.flatMap(\.devices).map(\.token)
        let hashes = try await connection.run(
            Statement(
                "hashes",
                sql: """
                    select left(encode(sha256(convert_to(lower(t), 'UTF8')), 'hex'), 16)
                    from unnest($1::text[]) with ordinality as a (t, n) order by n
                    """,
                parameters: [.textArray(tokens)]
            )
        )
        for (row, token) in tokens.enumerated() { books.hashes[token] = try hashes.text(row, 0) }
    }

    private func texts(_ connection: Connection, _ sql: String) async throws -> [String] {
        let rows = try await connection.run(Statement("comparison", sql: sql))
        return try (0..<rows.count).map { try rows.text($0, 0) }
    }
}
