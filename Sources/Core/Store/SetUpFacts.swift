import Postgres

/// What the catalog says of the database in which `nudged migrate` is to work. It is read before anything is changed.
@dynamicMemberLookup
package struct SetUpFacts: Sendable, Equatable {
    /// A table or view that `migrate` uses if it exists.
    package struct Relation: Sendable, Equatable {
        /// `public` or `nudged`.
        package var schema: String
        package var name: String
        /// `pg_class.relkind`: r is a table, p a partitioned one, v a view.
        package var kind: String
        package var owner: String
        /// Whether the role is the owner or a member of it.
        package var isOurs: Bool
        /// Whether a view of nudged reads it.
        package var isRead: Bool
        /// Whether an earlier `migrate` has created it.
        package var isNudgeds = false
        /// Their types by their names, as `format_type` writes them; of a domain: the base type.
        package var columns: [String: String]
    }

    /// The database and the role, as `Query.setUpRole` gives them.
    package struct Session: Sendable, Equatable {
        package var database: String
        /// As `server_version_num`, such as 150020.
        package var versionNumber: Int32
        package var version: String
        package var isWritable: Bool
        package var role: String
        package var mayCreateSchema: Bool
        package var mayCreateRoles: Bool
        /// The owner of schema `nudged`; nil: there is no such schema.
        package var schemaOwner: String?
        /// Whether the role is the owner of schema `nudged` or a member of it.
        package var ownsSchema: Bool
        /// What schema `nudged` holds.
        package var held: [String]
        /// In schema `public`.
        package var mayCreateTables: Bool
        /// Tables of schema `public` that nudged does not use; at most 100.
        package var otherTables: [String]
        /// Those of nudged's roles that exist.
        package var roles: [String]
        package var mayDaemonLogIn: Bool
        /// The citus extension exists.
        package var isDistributed: Bool
        /// The owner of schema `nudged_api` or `nudged_me`. If another role owns one of them: that role.
        package var apiOwner: String?
        package var ownsAPI: Bool
        /// Of the database, such as UTF8.
        package var encoding: String
        package var apiSchema = "nudged_api"
    }

    package var schemaState: Migrator.SchemaState
    package var session: Session
    package var relations: [Relation]
    /// None if the role may not see them.
    package var excess: [ExcessRight]
    package var bindingFaults: [BindingFault] = []

    package subscript<Value>(dynamicMember path: WritableKeyPath<Session, Value>) -> Value {
        get { session[keyPath: path] }
        set { session[keyPath: path] = newValue }
    }

    private static let wanted = [
        ("public", "context_profiles"), ("public", "push_tokens"), ("nudged", "recipient"), ("nudged", "device"),
    ]

    static func read(_ connection: Connection) async throws(PostgresError) -> SetUpFacts {
        let schemaState = try await Migrator.schemaState(connection)
        // It has all of this version's migrations and no others.
        let isMigrated = if case .misbound = schemaState { true } else { schemaState == .current }
        return SetUpFacts(
            schemaState: schemaState,
            session: try await connection.run(Query.setUpRole()).decoded(at: 0, Session.init),
            relations: try await relations(connection),
            excess: try await ExcessRight.visible(connection),
            bindingFaults: try await isMigrated ? Migrator.bindingFaults(connection) : []
        )
    }

    private static func relations(_ connection: Connection) async throws(PostgresError) -> [Relation] {
        let names: [Parameter] = [.textArray(wanted.map(\.0)), .textArray(wanted.map(\.1))]
        // A row for each column, or one if there is none.
        let parts = try await connection.run(Query.setUpRelations(names)).decoded {
            (at: Int, kind: String, owner: String, ours: Bool, read: Bool, name: String?, type: String?, own: Bool) in
            Relation(
                schema: wanted[at - 1].0,
                name: wanted[at - 1].1,
                kind: kind,
                owner: owner,
                isOurs: ours,
                isRead: read,
                isNudgeds: own,
                columns: name.map { [$0: type ?? ""] } ?? [:]
            )
        }
        return parts.reduce(into: []) { found, part in
            let isNew = found.last.map { $0.schema != part.schema || $0.name != part.name } ?? true
            if isNew { found.append(part) } else { found[found.count - 1].columns.merge(part.columns) { $1 } }
        }
    }
}

/// A view or trigger of nudged that is missing, disabled, or bound to another table than the one with nudged's name:
/// views and triggers stay with a table that is renamed, but functions look names up.
package struct BindingFault: Sendable, Equatable {
    /// `nudged.device`, or `nudged_device_inserted on public.push_tokens`.
    package var object: String
    /// The rest of a sentence that begins with the object.
    package var fault: String
    /// Whether `nudged migrate` can bind it again.
    package var isFixable: Bool
    /// The daemon would read the wrong users, devices or members, so it sends nothing.
    package var stops: Bool

    package var text: String { "\(object) \(fault)" }

    /// What to do about it.
    package var remedy: String {
        isFixable
            ? "run nudged migrate as the role that owns the app's tables, then nudged replan"
            : "define the view again over the right table (create or replace view, docs/TABLES.md), "
                + "or give the table its former name, then run nudged replan"
    }
}
