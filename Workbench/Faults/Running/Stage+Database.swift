import Core
import LocalPostgres
import Policy
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

extension Stage {
    /// Runs SQL as superuser and returns its rows as lines, without the last newline. `server`: by default the round's.
    @discardableResult
    func sql(_ text: String, of server: LocalCluster? = nil) async throws -> String {
        let (server, database) = (server ?? cluster, database)
        let output = try await onOwnThread { try server.sql(text, database: database) }
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    func lines(_ text: String, of server: LocalCluster? = nil) async throws -> [String] {
        try await sql(text, of: server).split(separator: "\n").map(String.init)
    }

    func rows(_ text: String, of server: LocalCluster? = nil) async throws -> [[String]] {
        try await lines(text, of: server).map { line in
            line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        }
    }

    func number(_ text: String) async throws -> Int { Int(try await sql(text)) ?? -1 }

    /// A new connection of the comparison, for results that are too large for text.
    func connect() async throws -> Connection {
        let url = cluster.url(database: database) + "?application_name=comparison"
        var configuration = try ConnectionConfiguration.parse(url: url)
        configuration.connectTimeout = Self.net
        configuration.statementTimeout = Self.net
        return try await Connection.open(configuration)
    }

    /// Fills the app's tables with the population, and the history with earlier sends.
    func seed() async throws {
        let connection = try await connect()
        let people = population.people
        let devices = people.flatMap { person in person.devices.map { (person.id, $0) } }
        let nudged = people.filter { !$0.sent.isEmpty }
        _ = try await connection.rows(
            """
            insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
            select u::uuid, p::jsonb, f, z from unnest($1::text[], $2::text[], $3::bool[], $4::text[]) as t (u, p, f, z)
            """,
            [
                .textArray(people.map(\.id)), .textArray(people.map(\.preferences)),
                .boolArray(people.map(\.firstSession)), .textArray(people.map(\.timezone)),
            ]
        )
        _ = try await connection.rows(
            """
            insert into public.push_tokens (user_id, device_token, platform, created_at, updated_at)
            select u::uuid, t, p, to_timestamp(r), to_timestamp(r)
            from unnest($1::text[], $2::text[], $3::text[], $4::int8[]) as d (u, t, p, r)
            """,
            [
                .textArray(devices.map(\.0)), .textArray(devices.map(\.1.token)),
                .textArray(devices.map(\.1.platform)), .int8Array(devices.map(\.1.registeredAt)),
            ]
        )
        _ = try await connection.rows(
            """
            insert into nudged.person (user_id, due_at, state)
            select u::uuid, now(), s from unnest($1::text[], $2::bytea[]) as t (u, s)
            """,
            [.textArray(nudged.map(\.id)), .byteaArray(nudged.map(Self.state))]
        )
        await connection.close()
    }

    private static func state(_ person: FaultRecipient) -> [UInt8] {
        let checkIns = person.checkIns.compactMap { past in
            LocalDate(iso: past.slot).map { CheckIn(at: Instant(seconds: past.at), slot: $0) }
        }
        let sent = person.sent.map { Instant(seconds: $0) }
        return UserState(history: History(checkIns: checkIns, sent: sent)).bytes
    }

    /// Runs a statement as the app does. It must not wait for a lock of a daemon longer than this, in milliseconds of
    /// machine time. On a busy machine the lock's holder may have no processor, so it is tried again.
    func asTheApp(
        _ sql: String,
        _ parameters: [Parameter],
        on connection: Connection,
        waitingAtMost milliseconds: Int64
    ) async throws(PostgresError) -> (rows: Rows, tries: Int) {
        let statement = Statement("call", sql: sql, parameters: parameters)
        var (waited, tries): (Int64, Int) = (0, 0)
        while true {
            let begin = Moment.now
            tries += 1
            do throws(PostgresError) {
                let limit = ("lock_timeout", "\(milliseconds)")
                let rows = try await connection.transaction([statement], settings: [limit], timeout: Self.net)
                return (rows[0], tries)
            } catch {
                guard error.sqlState == "55P03" else { throw error }
                waited += begin.elapsed
                guard waited < milliseconds, tries < 20 else { throw error }
            }
        }
    }

    // MARK: The daemon's side

    static let others =
        "datname = current_database() and pid <> pg_backend_pid() and application_name not in ('comparison', 'superuser') and backend_type = 'client backend'"

    /// Waits until the sessions of a dead daemon have ended, because what it had sent may still commit.
    func awaitNoSessions() async throws {
        let left = "select count(*) from pg_stat_activity where \(Self.others)"
        try await wait(for: "the dead daemon's sessions to end", by: [], left)
    }

    /// Waits until the server has performed what a stopped daemon had sent. A session that has not read it yet still says
    /// that it is idle. But it doesn't sleep: what comes makes it runnable at once.
    func awaitPerformed(_ stopped: ChildProcess) async throws {
        try await wait(for: "the daemon to stand still", by: []) { ProcessTable.stands(stopped.id) }
        try await wait(for: "its statements to end", by: []) {
            let sessions = Set(try await self.lines("select pid from pg_stat_activity where \(Self.others)"))
            let awake = ProcessTable.all().filter { sessions.contains("\($0.id)") && $0.fields.first != "S" }
            guard awake.isEmpty else { return false }
            return try await self.number(
                // With part of a pipeline, a session is active and waits for the rest.
                "select count(*) from pg_stat_activity where \(Self.others) and state = 'active' and wait_event is distinct from 'ClientRead'"
            ) == 0
        }
    }

    /// The `apns-id`s of all open pushes in intents, except those of a living daemon.
    func openIntents(except living: ChildProcess? = nil) async throws -> Set<String> {
        Self.pushes(
            try await lines(
                """
                select encode(o.content, 'hex') from \(Self.openUsers) where not exists (
                    select from nudged.member m join nudged.daemon d on d.daemon_id = m.daemon_id
                    where m.id = i.member and d.pid = \(living?.id ?? 0)
                )
                """
            )
        )
    }

    /// Users of intents who are not settled: the contents are of their turns.
    static let openUsers = """
        nudged.intent i cross join lateral unnest(i.user_ids, i.turns, i.contents) as o (user_id, turn, content)
        join nudged.person p on p.user_id = o.user_id and p.turn = o.turn
        """

    /// The `apns-id`s in contents of intents, which are in hexadecimal digits.
    static func pushes(_ contents: some Sequence<String>) -> Set<String> {
        var found: Set<String> = []
        for content in contents {
            let digits = content.utf8.map { UInt8($0 > 57 ? $0 - 87 : $0 - 48) }
            let bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
            let change = Change(userID: UUID(), turn: 0, content: bytes, attemptedAt: 0, reason: "")
            found.formUnion((change?.records ?? []).compactMap { $0.apnsID?.uuidString.lowercased() })
        }
        return found
    }

    static let openRows = "select count(*) from nudged.intent where user_ids <> '{}'"

    /// Whether nobody is due, no touch waits, and no intent is open.
    func isIdle() async throws -> Bool { try await sql(Self.idle) == "t" }

    static let idle = """
        select not exists (select from nudged.person where due_at <= now())
            and not exists (select from nudged.touched) and not exists (select from nudged.intent where user_ids <> '{}')
        """

    /// Runs SQL in another database, because settings of the round's own database would apply there.
    func admin(_ text: String) async throws {
        let cluster = cluster
        try await onOwnThread { _ = try cluster.sql(text) }
    }

    /// Ends the daemons' sessions, so that new ones get the settings of database or role.
    func endSessions() async throws {
        try await admin(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(database)' and application_name not in ('comparison', 'superuser')"
        )
    }
}

extension Connection {
    func rows(_ sql: String, _ parameters: [Parameter] = []) async throws(PostgresError) -> Rows {
        try await run(Statement("comparison", sql: sql, parameters: parameters))
    }
}
