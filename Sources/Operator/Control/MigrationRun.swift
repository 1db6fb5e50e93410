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

    /// Applies what is pending, or says what would be. Returns lines for a person.
    ///
    /// - Parameter onHeld: hears, in words, of the first time that it gave way to somebody who holds a table; it tries again by itself.
    package func run(dryRun: Bool, onHeld: @escaping @Sendable (String) -> Void = { _ in }) async throws -> [String] {
        // One attempt first: who runs it by hand wants to know at once.
        await (try Connection.open(configuration)).close()
        let migrator = Migrator(configuration: configuration)
        defer { Task { await migrator.close() } }
        switch try await migrator.standing() {
        case .current, .hidden: return ["nothing to do: the schema is current"] + (try await roles(migrator))
        case .behind(let pending) where dryRun: return pending.map { "would apply \(Self.name($0))" }
        case .behind:
            let applied = try await apply(migrator, onHeld).map { "applied \(Self.name($0))" }
            return (applied.isEmpty ? ["nothing to do: another migrate was faster"] : applied)
                + (try await roles(migrator))
        case .newer: return ["nothing to do: a newer nudged has migrated it, and this one works with it"]
        case let standing: throw SchemaError(standing: standing)
        }
    }

    /// What is left to do about roles, which may be refused to us: the schema works without, for the role that owns it.
    private func roles(_ migrator: Migrator) async throws -> [String] {
        let (missing, bare) = try await migrator.rolesWanting()
        let grant = "select nudged.grant_roles()"
        return missing.map {
            "the role \($0) is missing and could not be made: as a role that may, create role \($0) nologin; then, as this one, \(grant)"
        } + bare.map { "the role \($0) has no rights on schema nudged yet: \(grant)" }
    }

    private func apply(_ migrator: Migrator, _ onHeld: @Sendable (String) -> Void) async throws -> [Migration] {
        var isTold = false
        do throws(PostgresError) {
            return try await migrator.migrate { error in
                if !isTold { onHeld("a table is held by somebody else; trying again for a minute or two: \(error)") }
                isTold = true
            }
        } catch {
            // 42: syntax error or access rule violation; 42501 is a missing right, and says so itself.
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
