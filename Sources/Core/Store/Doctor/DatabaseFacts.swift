package import Postgres

/// The facts about a database that `nudged doctor` evaluates.
package enum DatabaseFacts {
    /// The server, and this session's role.
    package struct Server: Sendable, Equatable {
        /// As `server_version_num`, such as 150020.
        package var versionNumber: Int32
        package var version: String
        package var isInRecovery: Bool
        package var isWritable: Bool
        /// Its clock, in microseconds since 1970.
        package var clock: Int64
        package var role: String
        package var isSuperuser: Bool
        package var bypassesRowSecurity: Bool
        package var ownsTables: Bool
        package var hasSchema: Bool
        package var mayUseSchema: Bool
        package var cleansUp: Bool
        /// Of the database, such as UTF8.
        package var encoding: String
        /// `session_replication_role` of this session is not `replica`.
        package var firesTriggers: Bool
        /// Roles that may create functions in schemas which the app's statements search.
        package var creators: [Creator]

        /// Needs no right.
        package static func read(_ connection: Connection) async throws(PostgresError) -> Self {
            try await connection.run(Query.doctorServer()).decoded(at: 0, Self.init)
        }
    }

    /// A role that may create functions and tables in a schema, beside the owners and superusers.
    package struct Creator: Sendable, Equatable {
        package var schema: String
        /// nil: everybody (`PUBLIC`).
        package var role: String?
    }

    /// One of the app's tables, or its view `nudged.device`, that nudged's functions write.
    package struct Written: Sendable, Equatable {
        package var name: String
        package var hasWriter: Bool
        /// How many of the functions nudged_writer owns.
        package var owned: Int
        /// The functions that other roles own.
        package var foreign: [String]
        package var owners: [String]
        package var lacking: [String]
        /// Row-level security hides rows from nudged_writer.
        package var isHidden: Bool

        package static func read(_ connection: Connection) async throws(PostgresError) -> [Self] {
            try await connection.run(Query.doctorWriter()).decoded(Self.init)
        }
    }

    /// A view through which the daemon reads the app.
    package enum View: String, Sendable, CaseIterable {
        /// Users who could be sent something.
        case recipient
        case device
        /// The members of a subject, for reminders to everyone.
        case subjectMember = "subject_member"
    }
}

extension DatabaseFacts.Creator: ColumnElement {
    /// Schemas and roles, in turn. A role without a name is everybody.
    package static var list: ColumnReader<[DatabaseFacts.Creator?]> {
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
