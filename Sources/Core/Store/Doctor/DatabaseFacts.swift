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
        /// Who may create functions in schemas which the app's statements search, beside the owners and superusers:
        /// alternately a schema and a role. A role without a name is everybody (`PUBLIC`).
        package var creators: [String]

        /// Needs no right.
        package static func read(_ connection: Connection) async throws(PostgresError) -> Self {
            try await connection.run(Query.doctorServer()).decoded(at: 0, Self.init)
        }
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

/// A right that the daemon's role needs on one of nudged's objects.
package struct DaemonRight: Sendable, Hashable {
    /// In schema `nudged`; a function without its arguments.
    package let object: String
    /// `select`, `insert`, `update` or `delete`, or `execute` for a function. Some have a column: `update (id)`.
    package let privilege: String

    package func grant(to role: String) -> String {
        "grant \(privilege) on \(privilege == "execute" ? "function " : "")nudged.\(object) to \(role)"
    }

    /// All rights that the migrations give to the daemon's role (`nudged.allow`, sql/0006_roles.sql). They are read
    /// from the migrations' text, so that there is only one list. A later right on an object replaces an earlier one.
    package static let all: [DaemonRight] = {
        var found: [(object: String, privileges: [String])] = []
        for said in Migration.all.flatMap({ Migration.statements(of: $0.script) }).flatMap(allowed) {
            found.removeAll { $0.object == said.object }
            found.append(said)
        }
        return found.flatMap { said in said.privileges.map { DaemonRight(object: said.object, privilege: $0) } }
    }()

    /// Reads `select nudged.allow('nudged_daemon', 'select, insert', 'nudged.person', …)`, with comments and line
    /// breaks.
    static func allowed(_ statement: String) -> [(object: String, privileges: [String])] {
        let lines = statement.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }
        let text = lines.joined(separator: " ")
        guard text.drop(while: { $0 == " " }).hasPrefix("select nudged.allow(") else { return [] }
        // The arguments are between the quotation marks.
        let parts = text.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
        guard parts.count >= 7, parts[1] == "nudged_daemon" else { return [] }
        let privileges = parts[3].split(separator: ",").map { String($0.drop { $0 == " " }) }
        return stride(from: 5, to: parts.count, by: 2).map { place in
            (String(parts[place].dropFirst("nudged.".count).prefix { $0 != "(" }), privileges)
        }
    }
}

/// Privileges on one of nudged's objects that nobody gave by `nudged.allow`: a row of `nudged.excess_right`.
package struct ExcessRight: Sendable, Equatable {
    /// `public` is every role.
    package var role: String
    /// A schema, a table, a view or a function, or what will be made later (default privileges).
    package var object: String
    package var privileges: [String]
    /// The statement that takes them back.
    package var statement: String

    /// A broad grant to three roles makes some hundred rows.
    private static let most: Int64 = 20_000

    /// - Throws: as any statement; 42501 if the role may not read them.
    package static func all(_ connection: Connection) async throws(PostgresError) -> [ExcessRight] {
        // JIT compilation of the view's query would take seconds.
        let excess = Query.excessRights([.int8(most)])
        return try await connection.transaction([excess], settings: [("jit", "off")])[0].decoded(ExcessRight.init)
    }

    /// None if the view does not exist yet, or if the role may not read it.
    static func visible(_ connection: Connection) async throws(PostgresError) -> [ExcessRight] {
        let sql = "select coalesce(has_table_privilege(to_regclass('nudged.excess_right'), 'select'), false)"
        let isVisible = Statement("excess_rights_visible", sql: sql)
        guard try await connection.run(isVisible).bool(0, 0) else { return [] }
        return try await all(connection)
    }
}
