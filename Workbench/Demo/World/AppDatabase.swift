import Postgres
import TimeZones

import struct FoundationEssentials.UUID

/// The app's side of the database: what an existing app would have written, and what the demo reads at the end.
struct AppDatabase: Sendable {
    private let connection: Connection

    /// People per statement.
    private static let batch = 2_000

    static func open(_ configuration: ConnectionConfiguration) async throws(PostgresError) -> AppDatabase {
        AppDatabase(connection: try await Connection.open(configuration))
    }

    func close() async { await connection.close() }

    func serverVersion() async throws(PostgresError) -> String {
        let rows = try await connection.run(Statement("version", sql: "select current_setting('server_version')"))
        return String(try rows.text(0, 0).prefix { $0 != " " })
    }

    // MARK: What the app wrote

    /// Makes the app's tables and fills them, as they are before nudged is installed.
    func seed(_ population: DemoPopulation, _ interruption: Interruption) async throws {
        try await connection.execute(script: DemoQuery.appTables.sql, name: DemoQuery.appTables.rawValue)
        for first in stride(from: 0, to: population.people.count, by: Self.batch) {
            try interruption.check()
            try await insert(population.people[first..<min(first + Self.batch, population.people.count)])
        }
    }

    private func insert(_ people: ArraySlice<DemoPerson>) async throws(PostgresError) {
        let devices = people.flatMap { person in person.devices.map { (person.userID, $0) } }
        _ = try await connection.transaction([
            statement(
                .insertProfiles,
                [
                    .uuidArray(people.map(\.userID)), .jsonArray(people.map(\.preferences)),
                    .boolArray(people.map(\.firstSessionComplete)), .textArray(people.map(\.timezone)),
                ]
            ),
            statement(
                .insertTokens,
                [
                    .uuidArray(devices.map(\.0)), .textArray(devices.map(\.1.token)),
                    .textArray(devices.map(\.1.platform)),
                    .timestampArray(devices.map { $0.1.registeredAt * 1_000_000 }),
                ]
            ),
        ])
    }

    /// A plain update, as an app does it. The demo only sets the time of the change.
    func change(_ people: [(userID: UUID, preferences: String)], at now: Instant) async throws(PostgresError) {
        _ = try await connection.transaction([
            statement(
                .changePreferences,
                [.uuidArray(people.map(\.userID)), .jsonArray(people.map(\.preferences))]
            ),
            statement(.stampTouches, [.timestamp(now.seconds * 1_000_000)]),
        ])
    }

    // MARK: What is there

    func tokensLeft() async throws(PostgresError) -> Set<String> {
        let rows = try await connection.run(statement(.tokensLeft))
        var tokens: Set<String> = []
        for row in 0..<rows.count { tokens.insert(try rows.text(row, 0)) }
        return tokens
    }

    /// The pushes that the record says are accepted, and those that are unknown.
    func record() async throws(PostgresError) -> (accepted: [UUID], unknown: [UUID]) {
        let rows = try await connection.run(statement(.record))
        var accepted: [UUID] = []
        var unknown: [UUID] = []
        for row in 0..<rows.count {
            let id = try rows.uuid(row, 0)
            if try rows.text(row, 1) == "accepted" { accepted.append(id) } else { unknown.append(id) }
        }
        return (accepted, unknown)
    }

    private func statement(_ query: DemoQuery, _ parameters: [Parameter] = []) -> Statement {
        Statement(query.rawValue, sql: query.sql, parameters: parameters)
    }
}
