package import Configuration
import Service
import Postgres
import Store
package import Systemd

/// `nudged migrate`.
package struct MigrationRun: Sendable {
    /// What the database is like, and what would be done. Nothing was changed.
    package struct Survey: Sendable {
        /// For a person.
        package let lines: [String]
        /// Not `success`: something is in the way, and nothing may be applied.
        package let status: ExitStatus
        fileprivate let isPending: Bool
    }

    private let configuration: ConnectionConfiguration
    private let options: MigrationPlan.Options

    /// - Parameters:
    ///   - createsTables: make the app's tables, even in a database that has other tables.
    ///   - usesTemplates: let check-ins use the built-in templates.
    /// - Throws: what is wrong with `database.url`.
    package init(_ configuration: Configuration, createsTables: Bool = false, usesTemplates: Bool = false) throws {
        self.configuration = try DatabaseAccess(configuration).connection
        options = MigrationPlan.Options(createsTables: createsTables, usesTemplates: usesTemplates)
    }

    /// All SQL of the migrations after a number, for `nudged migrate --sql`. Needs no database.
    package static func script(after last: Int32, usesTemplates: Bool) -> String {
        Migration.script(after: last, usesTemplates: usesTemplates)
    }

    /// Reads the catalog, in a single attempt: a person at a terminal wants the error at once.
    ///
    /// - Throws: `SchemaError` if the schema is not this version's and no migration makes it so.
    package func survey(isDryRun: Bool) async throws -> Survey {
        let facts = try await Migrator.survey(configuration)
        switch facts.schemaState {
        case .current, .hidden: return current("nothing to do: the schema is current")
        case .newer:
            return current("nothing to do: a newer nudged has migrated the schema, and this version works with it")
        case .behind(let pending):
            let plan = MigrationPlan(facts, pending: pending, options: options)
            var lines = plan.lines
            if plan.status != .success {
                lines.append("next: fix what is in the way, then run nudged migrate --dry-run again")
            } else if isDryRun {
                lines.append("next: nudged migrate without --dry-run does this")
            }
            return Survey(lines: lines, status: plan.status, isPending: true)
        case let schemaState: throw SchemaError(schemaState: schemaState)
        }
    }

    private func current(_ line: String) -> Survey { Survey(lines: [line], status: .success, isPending: false) }

    /// Does what a survey has found. Returns lines for a person: what was done, and the next step.
    ///
    /// - Parameter onHeld: called once, with a text, if another session holds a table. The migration then tries again
    ///   by itself.
    package func apply(_ survey: Survey, onHeld: @escaping @Sendable (String) -> Void = { _ in }) async throws
        -> [String]
    {
        let migrator = Migrator(configuration: configuration)
        defer { Task { await migrator.close() } }
        var lines: [String] = []
        if survey.isPending {
            let applied = try await apply(migrator, onHeld)
            lines += applied.map { "applied \($0.label)" }
            if applied.isEmpty { lines.append("nothing to do: another nudged migrate has applied them") }
        }
        if options.usesTemplates {
            try await migrator.activateTemplates()
            lines.append("the built-in templates are active")
        }
        return lines + (try await next(migrator))
    }

    /// What an operator must still do. Our role may not be allowed to make roles. The schema works without them for the
    /// role that owns it.
    private func next(_ migrator: Migrator) async throws -> [String] {
        let (missing, bare) = try await migrator.rolesWanting()
        let grant = "select nudged.grant_roles()"
        let orders =
            missing.map { role in
                "next: the role \(role) is missing, and this role may not create it: "
                    + "as one that may, run create role \(role) nologin; then, as this role, \(grant)"
            } + bare.map { "next: the role \($0) has no rights on schema nudged yet: run \(grant)" }
        if !orders.isEmpty { return orders }
        guard try await Migrator.survey(configuration).mayDaemonLogIn else {
            return [
                "next: let the daemon log in. In psql: \\password nudged_daemon, then: alter role nudged_daemon login;"
            ]
        }
        return ["next: nudged doctor checks all that sending needs"]
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
}
