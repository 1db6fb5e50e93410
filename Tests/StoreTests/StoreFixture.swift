import Foundation
import LocalPostgres
import Policy
import Postgres
import Synchronization
import TestSupport
import Testing
import TimeZones

@testable import Core

typealias F = StoreFixture

/// One server for all tests of this process, which ends with it; each test has a migrated database of its own.
final class StoreFixture: TestDatabase, Sendable {
    static let cluster = Result {
        // A test that needs statistics makes them.
        try LocalCluster(LocalCluster.Options(maxConnections: 100, settings: ["autovacuum": "off"]))
    }
    private static let count = Atomic<Int>(0)
    /// Migrated once, copied for each test: by what was set up before the migration.
    private static let templates = Mutex<[String: Task<Template, any Error>]>([:])
    private struct Template {
        let name: String
        /// When it was migrated.
        let day: Int
    }

    private static func template(after setup: String) async throws -> Template {
        let making = templates.withLock { templates in
            if let made = templates[setup] { return made }
            let name = "migrated\(templates.count)"
            let making = Task { try await makeTemplate(named: name, after: setup) }
            templates[setup] = making
            return making
        }
        return try await making.value
    }

    private static func makeTemplate(named name: String, after setup: String) async throws -> Template {
        let day = today
        let cluster = try StoreFixture.cluster.get()
        try cluster.createDatabase(named: name)
        try cluster.sql(setup, database: name)
        let migrator = Migrator(configuration: try .parse(url: cluster.url(database: name)))
        _ = try await migrator.migrate()
        await migrator.close()
        // The template must be left by everybody before it is copied.
        try cluster.sql(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(name)'; select pg_sleep(0)"
        )
        return Template(name: name, day: day)
    }

    /// The days since 1970, in UTC.
    private static var today: Int { Int(Date().timeIntervalSince1970) / 86_400 }

    let cluster: LocalCluster
    let name: String
    let configuration: ConnectionConfiguration
    let store: Store

    /// An empty database, or one that was migrated after this script.
    convenience init(migrated: Bool = true, after setup: String = "") async throws {
        let cluster = try Self.cluster.get()
        guard migrated else {
            try self.init(on: cluster)
            return
        }
        let template = try await Self.template(after: setup)
        try self.init(on: cluster, template: template.name)
        // It has partitions of the record as on the day of a migration.
        if Self.today != template.day { try sql("select nudged.maintain_delivery()") }
    }

    /// A copy of another database, for the superuser unless another role is named.
    init(on cluster: LocalCluster, template: String = "template1", user: String = "postgres") throws {
        self.cluster = cluster
        name = "s\(Self.count.add(1, ordering: .relaxed).newValue)"
        try cluster.createDatabase(named: name, template: template)
        configuration = try .parse(url: cluster.url(database: name, user: user))
        store = Store(configuration: configuration)
    }

    deinit { try? cluster.dropDatabase(named: name) }

    @discardableResult
    func sql(_ text: String) throws -> String {
        let output = try cluster.sql(text, database: name)
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }

    /// Runs the body while another transaction holds something.
    @discardableResult
    func holding<Value: Sendable>(_ sql: String, _ body: @Sendable @escaping () async throws -> Value)
        async throws -> Value
    {
        let holder = try await connection()
        let value = try await holder.transaction(timeout: .seconds(60)) { transaction in
            try await transaction.execute(script: sql)
            return try await body()
        }
        await holder.close()
        return value
    }

    /// Until a session of this database waits for a lock, or until who should wait has ended.
    /// Tasks of a test start late while long tests of pure code have the process's threads.
    func untilSomebodyWaits(at location: SourceLocation = #_sourceLocation, orEnds hasEnded: () -> Bool = { false })
        async throws
    {
        let waiting =
            "select count(*) > 0 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
        try #require(
            await eventually(within: .seconds(500)) { try hasEnded() || sql(waiting) == "t" },
            "nobody waits",
            sourceLocation: location
        )
    }

    /// A session of the app, which finds its tables without a schema.
    func connection() async throws -> Connection {
        var app = configuration
        app.searchPath = "public"
        return try await Connection.open(app)
    }

    /// How the server runs a statement.
    func plan(_ query: Query, _ parameters: [Parameter]) async throws -> String {
        let connection = try await connection()
        let explain = Statement("explain", sql: "explain " + query.sql, parameters: parameters)
        let rows = try await connection.transaction([explain], settings: Store.pinnedPlans, timeout: .seconds(30))[0]
        await connection.close()
        return try (0..<rows.count).map { try rows.text($0, 0) }.joined(separator: "\n")
    }

    /// How many updates of a table there were, and how many of them were HOT. The server's processes hand in their
    /// counts when they end, and the end of a connection is not waited for.
    func updates(of table: String, atLeast count: Int) async throws -> (all: Int, hot: Int) {
        var counts = [0, 0]
        _ = try await eventually {
            let found = "select n_tup_upd, n_tup_hot_upd from pg_stat_user_tables where relname = '\(table)'"
            counts = try sql(found).split(separator: "|").compactMap { Int($0) }
            return counts[0] >= count
        }
        return (counts[0], counts[1])
    }

    /// Users with one device each, asked never before, due now. Their numbers are the ends of their ids.
    func seed(_ numbers: ClosedRange<Int>) throws {
        try sql(
            """
            insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
            select \(Self.id("n")), '{"check_ins_enabled": true, "frequency": "daily"}', true, 'Europe/Berlin'
            from generate_series(\(numbers.lowerBound), \(numbers.upperBound)) n;
            insert into public.push_tokens (user_id, device_token, created_at, updated_at)
            select \(Self.id("n")), lpad(to_hex(n), 64, '0'), '2026-01-01', '2026-01-01'
            from generate_series(\(numbers.lowerBound), \(numbers.upperBound)) n;
            truncate nudged.touched;
            insert into nudged.person (user_id, due_at)
            select \(Self.id("n")), '2026-01-02'::timestamptz + n * interval '1 second'
            from generate_series(\(numbers.lowerBound), \(numbers.upperBound)) n;
            """
        )
    }

    /// Users with profiles and devices, nobody touched.
    static func withUsers(_ numbers: ClosedRange<Int> = 1...9) async throws -> StoreFixture {
        let fixture = try await StoreFixture()
        try fixture.seed(numbers)
        return fixture
    }

    private static func id(_ number: String) -> String {
        "('00000000-0000-4000-8000-' || lpad(to_hex(\(number)), 12, '0'))::uuid"
    }

    /// The id of a seeded user.
    static func user(_ number: Int) -> UUID {
        UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, UInt8(number >> 8 & 0xFF), UInt8(number & 0xFF)))
    }

    static func quoted(_ number: Int) -> String { "'\(user(number).uuidString.lowercased())'" }

    static let now = Instant(rfc3339: "2026-11-20T12:00:00Z") ?? Instant(seconds: 0)

    /// All ranges.
    static let ranges = Array(RangeWalk.ranges)

    func beat(_ id: UUID, state: String = "{}", uptime: Int64 = 60_000) async throws {
        let (host, build) = ("web-1", "1.2.3")
        try await store.heartbeat(id: id, host: host, pid: 42, version: build, uptimeMilliseconds: uptime, state: state)
    }

    /// Joins; the first member takes all ranges.
    func member(_ lease: Int64 = 600_000, id: UUID = UUID()) async throws -> UUID {
        let member = UUID()
        try await store.join(member, daemon: id, leaseMilliseconds: lease)
        _ = try await store.renew(member, leaseMilliseconds: lease)
        return member
    }

    /// Declares all members dead.
    func die() throws { try sql("delete from nudged.member") }

    func claim(_ limit: Int = 100, inHand: Set<UUID> = []) async throws -> [ClaimedUser] {
        try await store.claimed(limit, inHand: inHand).users
    }

    /// As a member that joins for it.
    @discardableResult
    func drain(_ limit: Int = 1000, _ onRefused: (Refusal) -> Void = { _ in }) async throws -> Int {
        let member = try await member()
        return try await store.drain(member: member, ranges: F.ranges, limit: limit, now: F.now, onRefused: onRefused)
    }

    /// A database of its own with these users, all claimed by one member.
    static func claimed(_ numbers: ClosedRange<Int> = 1...3) async throws -> (StoreFixture, UUID, [ClaimedUser]) {
        let fixture = try await withUsers(numbers)
        let member = try await fixture.member()
        return (fixture, member, try await fixture.claim(numbers.count))
    }

    /// An intent of which nothing else is open.
    static func whole(_ intent: Intent) -> Settlement.ClosedPart { part(intent, intent.changes, isWhole: true) }

    /// These users of an intent.
    static func part(_ intent: Intent, _ changes: [Change], isWhole: Bool = false) -> Settlement.ClosedPart {
        Settlement.ClosedPart(intent: intent.id, users: changes.map(\.userID), isWhole: isWhole)
    }

    static func change(
        _ user: ClaimedUser,
        _ records: DeliveryRecord...,
        dueAt: Instant = now + 3600,
        history: History = History(),
        retry: String? = nil,
        ended: [UUID] = []
    ) -> Change {
        Change(
            userID: user.userID,
            turn: user.turn,
            version: user.version,
            dueAt: dueAt,
            evaluatedAt: now,
            since: user.since,
            state: UserState(fingerprint: 7, history: history),
            retry: retry,
            records: records,
            ended: ended
        )
    }

    static let slot = LocalDate(iso: "2026-11-20") ?? LocalDate(days: 0)

    /// What an intent announces of a user: what is recorded if these pushes stay unknown.
    static func announced(
        _ user: ClaimedUser,
        _ records: [DeliveryRecord],
        template: Int32? = nil,
        retry: String? = nil,
        ended: [UUID] = []
    ) -> Change {
        var history = user.history
        if records.contains(where: { $0.slot != nil }) { history.checkIns.append(CheckIn(at: now, slot: slot)) }
        history.sent.append(now)
        var change = change(user, dueAt: now, history: history, retry: retry, ended: ended)
        (change.version, change.state.template, change.records) = (nil, template, records)
        return change
    }

    /// A check-in of each user.
    static func intent(_ users: [ClaimedUser], member: UUID, retry: String? = nil) -> Intent {
        intent(member, users.map { announced($0, [record($0, .unknown, status: nil)], retry: retry) })
    }

    static func intent(_ member: UUID, _ changes: [Change], messages: [MessageReference] = []) -> Intent {
        Intent(member: member, sweepID: UUID(), attemptedAt: now, changes: changes, messages: messages)
    }

    /// An open intent of what these rows (`user_id`, `id`) name, whose daemon is gone.
    static func openIntent(of rows: String) -> String {
        """
        insert into nudged.intent (id, sweep_id, attempted_at, user_ids, turns, contents, message_ids, open)
        select gen_random_uuid(), gen_random_uuid(), now(), array_agg(r.user_id), array_agg(coalesce(p.turn, 0)),
            array_agg('\\x00'::bytea), array_agg(r.id), count(*)
        from (\(rows)) r left join nudged.person p using (user_id) having count(*) > 0;
        """
    }

    static func record(
        _ user: ClaimedUser,
        _ outcome: DeliveryRecord.Outcome = .accepted,
        hash: String = "00000000000000aa",
        status: Int? = 200,
        apnsID: UUID? = UUID(),
        fraction: Int32 = 0,
        template: Int32? = nil,
        slot: LocalDate = slot,
        at instant: Instant = now
    ) -> DeliveryRecord {
        DeliveryRecord(
            userID: user.userID,
            kind: "check_in",
            key: slot.iso,
            slot: slot,
            deviceHash: hash,
            apnsID: apnsID,
            outcome: outcome,
            status: status,
            attemptedAt: instant,
            fraction: fraction,
            template: template
        )
    }

    /// A user's token that Apple refused so many milliseconds after now.
    static func stale(
        _ user: ClaimedUser,
        _ apnsID: UUID?,
        after milliseconds: Int64 = 0,
        environment: String = "sandbox",
        topic: String = "com.example.app"
    ) -> StaleToken {
        StaleToken(
            userID: user.userID,
            token: user.devices[0].token,
            environment: environment,
            topic: topic,
            unregisteredAt: now.seconds * 1000 + milliseconds,
            apnsID: apnsID ?? UUID()
        )
    }

    /// A check-in of which nothing was sent.
    static func skipped(
        _ user: ClaimedUser,
        _ reason: String? = nil,
        slot: LocalDate = slot,
        at instant: Instant = now,
        decision: String? = nil
    ) -> DeliveryRecord {
        var record = record(user, .skipped, hash: "", status: nil, apnsID: nil, slot: slot, at: instant)
        record.reason = reason
        record.decision = decision
        return record
    }

    /// The record's hash of a token.
    func hash(_ token: String) throws -> String {
        try sql("select left(encode(sha256(convert_to(lower('\(token)'), 'UTF8')), 'hex'), 16)")
    }

    /// A message as an app sends it. `more` is SQL after the text. Returns its id.
    func sendMessage(_ user: Int, _ text: String = "Hi", more: String = "") throws -> UUID {
        let id = try sql("select (nudged_api.send(\(Self.quoted(user)), '\(text)', 'there'\(more))).id")
        return try #require(UUID(uuidString: id))
    }

    /// A message's or reminder's row of the record. Nothing is sent of one that is dropped.
    static func messageRecord(_ user: ClaimedUser, _ id: UUID, kind: String = "message", isDropped: Bool = false)
        -> DeliveryRecord
    {
        DeliveryRecord(
            userID: user.userID,
            kind: kind,
            key: id.uuidString.lowercased(),
            slot: nil,
            deviceHash: isDropped ? "" : "00000000000000aa",
            apnsID: isDropped ? nil : UUID(),
            outcome: isDropped ? .dropped : .unknown,
            reason: isDropped ? "collapsed" : nil,
            attemptedAt: now
        )
    }

    /// User 1 reminds everyone of a task now. These rows (`user_id`) are its members. No touch waits.
    func fanOut(to members: String) throws {
        try sql(
            """
            create table public.task_member as select '7' as task_id, user_id from (\(members)) m;
            create or replace view nudged.subject_member as
            select 'task'::text as subject_type, task_id as subject_id, user_id from public.task_member;
            """
        )
        let what = "\(Self.quoted(1)), 'task', '7', 'Water', 'the plants', due_at => now(), audience => 'everyone'"
        try sql("select nudged_api.set_reminder(\(what))")
        try sql("truncate nudged.touched")
    }
}

extension Store {
    /// Who is due in these ranges, and who could not be read.
    func claimed(_ limit: Int = 1_000, ranges: [Int32] = F.ranges, startingOver: Bool = true, inHand: Set<UUID> = [])
        async throws -> (users: [ClaimedUser], isComplete: Bool, refused: [Refusal])
    {
        var refused: [Refusal] = []
        let found = try await claim(
            ranges: ranges,
            now: F.now,
            startingOver: startingOver,
            limit: limit,
            inHand: inHand
        ) { refused.append($0) }
        return (found.users, found.isComplete, refused)
    }
}

extension Settlement {
    /// Of a sweep of its own.
    init(_ member: UUID?, _ changes: [Change], closed: [ClosedPart] = [], withdrawn: [UUID] = []) {
        self.init(member: member, sweepID: UUID(), changes: changes, closed: closed, withdrawn: withdrawn)
    }
}
