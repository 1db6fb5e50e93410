package import Configuration
import Service
import Postgres
import Store

/// `nudged migrate`.
package struct MigrationRun: Sendable {
    private let configuration: ConnectionConfiguration

    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration) throws {
        self.configuration = try DatabaseAccess(configuration).connection
    }

    /// Applies the pending migrations; with `dryRun`, only names them. Returns lines for a person.
    ///
    /// - Parameter onHeld: called once, with a text, if another session holds a table. The migration then tries again
    ///   by itself.
    package func run(dryRun: Bool, onHeld: @escaping @Sendable (String) -> Void = { _ in }) async throws -> [String] {
        // A single attempt: a person at a terminal wants the error at once.
        await (try Connection.open(configuration)).close()
        let migrator = Migrator(configuration: configuration)
        defer { Task { await migrator.close() } }
        switch try await migrator.standing() {
        case .current, .hidden: return ["nothing to do: the schema is current"] + (try await roles(migrator))
        case .behind(let pending) where dryRun: return pending.map { "would apply \(Self.name($0))" }
        case .behind:
            let applied = try await apply(migrator, onHeld).map { "applied \(Self.name($0))" }
            return (applied.isEmpty ? ["nothing to do: another nudged migrate has applied them"] : applied)
                + (try await roles(migrator))
        case .newer: return ["nothing to do: a newer nudged has migrated the schema, and this version works with it"]
        case let standing: throw SchemaError(standing: standing)
        }
    }

    /// What an operator must still do about roles. Our role may not be allowed to make them. The schema works without
    /// them for the role that owns it.
    private func roles(_ migrator: Migrator) async throws -> [String] {
        let (missing, bare) = try await migrator.rolesWanting()
        let grant = "select nudged.grant_roles()"
        let orders = missing.map { role in
            "the role \(role) is missing, and this role may not create it: "
                + "as one that may, run create role \(role) nologin; then, as this role, \(grant)"
        }
        return orders + bare.map { "the role \($0) has no rights on schema nudged yet: run \(grant)" }
    }

    private func apply(_ migrator: Migrator, _ onHeld: @Sendable (String) -> Void) async throws -> [Migration] {
        var isTold = false
        do throws(PostgresError) {
            return try await migrator.migrate { error in
                if !isTold { onHeld("another session locks a table; trying again for up to two minutes: \(error)") }
                isTold = true
            }
        } catch {
            // Class 42 is syntax error or access rule violation. A missing right (42501) needs no further explanation.
            guard error.code == .refusedByServer, let state = error.sqlState, state.hasPrefix("42"), state != "42501"
            else { throw error }
            throw MigrationError(cause: error)
        }
    }

    private static func name(_ migration: Migration) -> String {
        let digits = String(migration.number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + "\(digits)_\(migration.name)"
    }
}
