import LocalPostgres
import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// The app's side of the database: what an existing app would have written, and what the demo reads at the end.
struct AppDatabase: Sendable {
    let connection: Connection

    private static let batch = 2_000

    func close() async { await connection.close() }

    func serverVersion() async throws(PostgresError) -> String {
        let rows = try await connection.run(Statement("version", sql: "select current_setting('server_version')"))
        return String(try rows.text(0, 0).prefix { $0 != " " })
    }

    // MARK: What the app wrote

    /// Makes the app's tables and fills them, as they are before nudged is installed.
    func seed(_ population: DemoPopulation, _ interruption: Interruption) async throws {
        try await connection.execute(script: LocalCluster.appTables, name: "app's tables")
        for first in stride(from: 0, to: population.people.count, by: Self.batch) {
            try interruption.check()
            try await insert(population.people[first..<min(first + Self.batch, population.people.count)])
        }
    }

    private func insert(_ people: ArraySlice<DemoPerson>) async throws(PostgresError) {
        let devices = people.flatMap { person in person.devices.map { (person.userID, $0) } }
        _ = try await connection.transaction([
            Statement(
                "insert profiles",
                sql: """
                    insert into public.context_profiles (user_id, notification_preferences, first_session_complete, timezone)
                    select * from unnest($1::uuid[], $2::jsonb[], $3::boolean[], $4::text[])
                    """,
                parameters: [
                    .uuidArray(people.map(\.userID)), .jsonArray(people.map(\.preferences)),
                    .boolArray(people.map(\.firstSessionComplete)), .textArray(people.map(\.timezone)),
                ]
            ),
            Statement(
                "insert tokens",
                sql: """
                    insert into public.push_tokens (user_id, device_token, platform, created_at, updated_at)
                    select user_id, token, platform, at, at
                    from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as t (user_id, token, platform, at)
                    """,
                parameters: [
                    .uuidArray(devices.map(\.0)), .textArray(devices.map(\.1.token)),
                    .textArray(devices.map(\.1.platform)),
                    .timestampArray(devices.map { $0.1.registeredAt * 1_000_000 }),
                ]
            ),
        ])
    }

    /// A plain update, as an app does it. The demo only sets the time of the change.
    func change(_ people: [(userID: UUID, preferences: String)], at now: Instant) async throws(PostgresError) {
        try await write(
            """
            update public.context_profiles p set notification_preferences = c.preferences
            from unnest($1::uuid[], $2::jsonb[]) as c (user_id, preferences) where p.user_id = c.user_id
            """,
            [.uuidArray(people.map(\.userID)), .jsonArray(people.map(\.preferences))],
            at: now
        )
    }

    /// The tokens that start Live Activities, or those of activities that have started.
    func register(_ orders: [DemoOrder], haveStarted: Bool, at now: Instant) async throws(PostgresError) {
        let surfaces = orders.map { haveStarted ? "activity:\($0.id)" : "start:\(DemoOrder.attributesType)" }
        let tokens = orders.map { haveStarted ? $0.activityToken : $0.startToken }
        try await write(
            """
            select nudged_api.register_device(user_id, token, environment => 'sandbox', surface => surface)
            from unnest($1::uuid[], $2::text[], $3::text[]) as t (user_id, surface, token)
            """,
            [.uuidArray(orders.map(\.userID)), .textArray(surfaces), .textArray(tokens)],
            at: now
        )
    }

    /// They expire eight hours later, when a phone would end the activity.
    func send(_ events: [(order: DemoOrder, step: Int)], at now: Instant) async throws(PostgresError) {
        try await write(
            """
            select nudged_api.send(user_id, title, null, apns => apns, expires_at => $4)
            from unnest($1::uuid[], $2::text[], $3::jsonb[]) as e (user_id, title, apns)
            """,
            [
                .uuidArray(events.map(\.order.userID)), .textArray(events.map { DemoOrder.events[$0.step].title }),
                .jsonArray(events.map { $0.order.apns($0.step) }), .timestamp((now.seconds + 8 * 3600) * 1_000_000),
            ],
            at: now
        )
    }

    private func write(_ sql: String, _ parameters: [Parameter], at now: Instant) async throws(PostgresError) {
        let at = Parameter.timestamp(now.seconds * 1_000_000)
        _ = try await connection.transaction([
            Statement("write", sql: sql, parameters: parameters),
            Statement("stamp touches", sql: "update nudged.touched set at = $1", parameters: [at]),
        ])
    }

    // MARK: What is there

    func tokensLeft() async throws -> Set<String> {
        let statement = Statement("tokens left", sql: "select device_token from public.push_tokens")
        let rows = try await connection.run(statement)
        return Set(try (0..<rows.count).map { try rows.text($0, 0) })
    }

    /// The pushes that the record says are accepted, and those that are unknown.
    func record() async throws -> (accepted: [UUID], unknown: [UUID]) {
        func ids(_ outcome: String) async throws -> [UUID] {
            let sql = "select apns_id from nudged.delivery where outcome = $1 and apns_id is not null"
            let rows = try await connection.run(Statement("record", sql: sql, parameters: [.text(outcome)]))
            return try (0..<rows.count).map { try rows.uuid($0, 0) }
        }
        return (try await ids("accepted"), try await ids("unknown"))
    }
}
