import Postgres

/// Privileges on one of nudged's objects that nobody gave by `nudged.allow`: a row of `nudged.excess_right`.
package struct ExcessRight: Sendable, Equatable {
    /// `public` is every role.
    package var role: String
    /// A schema, a table, a view or a function, or what will be made later (default privileges).
    package var object: String
    package var privileges: [String]
    /// The statement that takes them back.
    package var statement: String
}

extension ExcessRight {
    /// A broad grant to three roles makes some hundred rows.
    private static let most: Int64 = 20_000

    /// - Throws: as any statement; 42501 if the role may not read them.
    static func all(_ connection: Connection) async throws(PostgresError) -> [ExcessRight] {
        // JIT compilation of the view's query would take seconds.
        let rows = try await connection.transaction([Query.excessRights([.int8(most)])], settings: [("jit", "off")])[0]
        var found: [ExcessRight] = []
        for row in 0..<rows.count {
            found.append(
                ExcessRight(
                    role: try rows.text(row, 0),
                    object: try rows.text(row, 1),
                    privileges: try rows.text(row, 2).split(separator: ", ").map(String.init),
                    statement: try rows.text(row, 3)
                )
            )
        }
        return found
    }

    /// None if the view does not exist yet, or if the role may not read it.
    static func visible(_ connection: Connection) async throws(PostgresError) -> [ExcessRight] {
        let isVisible = Statement(
            "excess_rights_visible",
            sql: "select coalesce(has_table_privilege(to_regclass('nudged.excess_right'), 'select'), false)"
        )
        guard try await connection.run(isVisible).bool(0, 0) else { return [] }
        return try await all(connection)
    }
}
