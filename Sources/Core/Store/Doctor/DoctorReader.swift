package import Postgres

import struct FoundationEssentials.UUID

/// Reads the facts of `nudged doctor` on one connection. Each call is a transaction of its own, changes nothing, and
/// throws as any statement.
package struct DoctorReader: Sendable {
    private let connection: Connection

    /// Tables that are written in every sweep.
    private static let hotTables = ["daemon", "intent", "message", "occurrence", "person", "touched"]
    private static let appTables = ["context_profiles", "push_tokens"]

    package init(_ connection: Connection) {
        self.connection = connection
    }

    /// Needs no right.
    package func server() async throws(PostgresError) -> DatabaseFacts.Server {
        try await ask(.doctorServer).decoded(at: 0, DatabaseFacts.Server.init)
    }

    package func schemaState() async throws(PostgresError) -> Migrator.SchemaState {
        try await Migrator.schemaState(connection)
    }

    /// `DaemonRight.all`, in its order, for this session's role.
    package func rights() async throws(PostgresError) -> [DatabaseFacts.Right] {
        let wanted = DaemonRight.all
        let rows = try await ask(
            .doctorRights,
            [.textArray(wanted.map(\.object)), .textArray(wanted.map(\.privilege))],
            rows: wanted.count
        )
        return try rows.map { row throws(PostgresError) in
            DatabaseFacts.Right(right: wanted[row], exists: try rows.bool(row, 0), isGranted: try rows.bool(row, 1))
        }
    }

    /// Rights on nudged's objects that nobody gave by `nudged.allow`.
    package func excessRights() async throws(PostgresError) -> [ExcessRight] {
        try await ExcessRight.all(connection)
    }

    /// What nudged's functions write of the app.
    package func written() async throws(PostgresError) -> [DatabaseFacts.Written] {
        try await ask(.doctorWriter).decoded(DatabaseFacts.Written.init)
    }

    /// Views and triggers of nudged that are missing, disabled or bound to the wrong table.
    package func bindingFaults() async throws(PostgresError) -> [BindingFault] {
        try await Migrator.bindingFaults(connection)
    }

    /// The columns of the views, sorted by view and name.
    package func columns() async throws(PostgresError) -> [DatabaseFacts.Column] {
        let views = DatabaseFacts.View.allCases.map(\.rawValue)
        return try await ask(.doctorColumns, [.textArray(views)]).decoded(DatabaseFacts.Column.init)
    }

    /// Reads a view with the daemon's own statement, for no user. That checks its columns, their types and the rights
    /// of its owner.
    package func read(_ view: DatabaseFacts.View) async throws(PostgresError) {
        switch view {
        case .recipient: _ = try await ask(.claimProfiles, [.uuidArray([]), .int8(.max), .int8(1)])
        case .device: _ = try await ask(.claimDevices, [.uuidArray([]), .int8(1)])
        case .subjectMember:
            _ = try await ask(
                .fanOutMembers,
                [.text(""), .text(""), .null(.uuid), .int8(0), .null(.uuid), .uuidArray([])]
            )
        }
    }

    package func appTables() async throws(PostgresError) -> [DatabaseFacts.AppTable] {
        let rows = try await ask(.doctorAppTables, [.textArray(Self.appTables)], rows: Self.appTables.count)
        return try rows.map { row throws(PostgresError) in
            DatabaseFacts.AppTable(
                name: Self.appTables[row],
                exists: try rows.bool(row, 0),
                hasRowSecurity: try rows.bool(row, 1),
                hasUserIndex: try rows.bool(row, 2),
                readers: try rows.textArray(row, 3).compactMap(\.self),
                isRead: try rows.bool(row, 4)
            )
        }
    }

    /// nudged's tables without row-level security.
    package func openTables() async throws(PostgresError) -> [String] {
        try await ask(.doctorOpenTables).decoded { (name: String) in name }
    }

    /// How many days in a row the record has partitions for, from today on.
    package func partitionDays() async throws(PostgresError) -> Int {
        Int(try await ask(.doctorPartitions).int4OrNull(0, 0) ?? 400)
    }

    /// How many users of the views' first ones nudged has not seen, and whether that was all users.
    package func unseenUsers() async throws(PostgresError) -> DatabaseFacts.Unseen {
        let rows = try await ask(.unseenUsers, [.uuid(Store.firstUser), .int8(Int64(DatabaseFacts.Unseen.most))])
        return DatabaseFacts.Unseen(users: try rows.uuidArray(0, 0).count, isAll: try rows.uuidOrNull(0, 1) == nil)
    }

    package func bloat() async throws(PostgresError) -> [DatabaseFacts.Bloat] {
        try await ask(.doctorBloat, [.textArray(Self.hotTables)]).decoded(DatabaseFacts.Bloat.init)
    }

    package func holders() async throws(PostgresError) -> DatabaseFacts.Holders {
        let rows = try await ask(.doctorHolders)
        var holders = DatabaseFacts.Holders(
            prepared: try rows.int8(0, 4),
            preparedSeconds: try rows.int8OrNull(0, 5),
            idleSlots: try rows.textArray(0, 6).compactMap(\.self)
        )
        if try !rows.isNull(0, 0) {
            holders.session = try rows.decoded(at: 0, DatabaseFacts.Holders.Session.init)
        }
        return holders
    }

    /// The current offset of each zone in seconds east of UTC, by the server's files.
    package func zoneOffsets() async throws(PostgresError) -> [String: Int] {
        let rows = try await ask(.doctorZones)
        var offsets: [String: Int] = [:]
        for row in 0..<rows.count { offsets[try rows.text(row, 0)] = Int(try rows.int4(row, 1)) }
        return offsets
    }

    /// How often each name of a zone is used by the views' first users, and by the first reminders.
    package func usedZones() async throws(PostgresError) -> DatabaseFacts.UsedZones {
        let rows = try await ask(.doctorUsedZones, [.int8(Int64(DatabaseFacts.UsedZones.most))])
        return DatabaseFacts.UsedZones(names: try rows.decoded { (name: String, count: Int) in (name, count) })
    }

    /// Whether check-ins are on for one of the first profiles, and no template is active.
    package func lacksTexts() async throws(PostgresError) -> Bool {
        try await ask(.doctorTexts, [.int8(Int64(DatabaseFacts.UsedZones.most))]).bool(0, 0)
    }

    /// Whether no app has ever called seen.
    package func lacksActivity() async throws(PostgresError) -> Bool { try await ask(.doctorSeen, []).bool(0, 0) }

    /// How many of the first messages wait for users with these zones.
    package func waitingZones() async throws(PostgresError) -> DatabaseFacts.WaitingZones {
        let rows = try await ask(.doctorWaitingZones, [.int8(Int64(DatabaseFacts.WaitingZones.most))])
        let messages = try rows.decoded { (preferences: String?, profile: String?, count: Int) in
            (preferences: preferences, profile: profile, count: count)
        }
        return DatabaseFacts.WaitingZones(messages: messages)
    }

    package func work() async throws(PostgresError) -> WorkStatus {
        try Store.workStatus(
            try await connection.transaction(Store.workStatusStatements, settings: Store.pinnedPlans)
        )
    }

    // MARK: How a question is asked

    private func ask(
        _ query: Query,
        _ parameters: [Parameter] = [],
        rows count: Int? = nil
    ) async throws(PostgresError) -> Rows {
        let rows = try await connection.run(query(parameters))
        if let count, rows.count != count { throw PostgresError(.unexpectedResult, statement: query.name) }
        return rows
    }
}

extension DatabaseFacts.Creator: ColumnElement {
    /// Schemas and roles, in turn. A role without a name is everybody.
    package static var list: ColumnReader<[DatabaseFacts.Creator]> {
        { rows in
            { row, column throws(PostgresError) in
                let words = try rows.textArray(row, column).compactMap(\.self)
                return stride(from: 0, to: words.count - 1, by: 2).map { place in
                    DatabaseFacts.Creator(schema: words[place], role: words[place + 1].isEmpty ? nil : words[place + 1])
                }
            }
        }
    }
}
