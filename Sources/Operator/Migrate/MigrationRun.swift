package import Configuration
import Service
import Postgres
import Core
package import Systemd

package struct MigrationRun: Sendable {
    package struct Survey: Sendable {
        package let lines: [String]
        package let status: ExitStatus
        let facts: SetUpFacts
        fileprivate let isPending: Bool
        fileprivate var isMisbound = false
    }

    private let configuration: ConnectionConfiguration
    private let options: MigrationPlan.Options

    package init(_ configuration: Configuration, createsTables: Bool = false, usesTemplates: Bool = false) throws {
        self.configuration = try DatabaseAccess(configuration).connection
        options = MigrationPlan.Options(createsTables: createsTables, usesTemplates: usesTemplates)
    }

    /// For a role whose URL is in no configuration.
    init(_ connection: ConnectionConfiguration, createsTables: Bool) {
        configuration = connection
        options = MigrationPlan.Options(createsTables: createsTables)
    }

    /// Reads the catalog, in a single attempt: a person at a terminal wants the error at once.
    package func survey(isDryRun: Bool) async throws -> Survey {
        let facts = try await Migrator.survey(configuration)
        switch facts.schemaState {
        case .current, .hidden, .misbound: return current("the schema is current", facts, isDryRun)
        case .newer:
            return current("a newer nudged has migrated the schema, and this version works with it", facts, isDryRun)
        case .behind(let pending, _):
            let plan = MigrationPlan(facts, pending: pending, options: options)
            var lines = plan.lines
            if plan.status != .success {
                lines.append("next: fix what is in the way, then run nudged migrate --dry-run again")
            } else if isDryRun {
                lines += Self.listed(facts.excess)
                lines.append("next: nudged migrate without --dry-run does this")
            }
            return Survey(lines: lines, status: plan.status, facts: facts, isPending: true)
        case let schemaState: throw schemaState.failure
        }
    }

    private func current(_ state: String, _ facts: SetUpFacts, _ isDryRun: Bool) -> Survey {
        let faults = facts.bindingFaults
        guard !facts.excess.isEmpty || !faults.isEmpty else {
            return Survey(lines: ["nothing to do: \(state)"], status: .success, facts: facts, isPending: false)
        }
        var lines = ["no migration is pending: \(state)"] + faults.map(\.text)
        if let fault = faults.first(where: { !$0.isFixable }) {
            lines.append("fix: \(fault.remedy)")
            guard faults.contains(where: \.isFixable) else {
                return Survey(lines: lines, status: .configuration, facts: facts, isPending: false)
            }
        }
        if isDryRun { lines += Self.listed(facts.excess) + ["next: nudged migrate without --dry-run does this"] }
        let isMisbound = faults.contains(where: \.isFixable)
        return Survey(lines: lines, status: .success, facts: facts, isPending: false, isMisbound: isMisbound)
    }

    private static func listed(_ rights: [ExcessRight]) -> [String] {
        guard !rights.isEmpty else { return [] }
        let roles = RoleExcess.all(rights)
        return ["take back \(counted(roles)):"] + roles.map { "  \($0.who): \($0.text)" }
    }

    /// `352 rights that are too many (anon, authenticated)`.
    private static func counted(_ roles: [RoleExcess], isPast: Bool = false) -> String {
        let count = roles.reduce(0) { $0 + $1.count }
        let rights = isPast ? ("right that was", "rights that were") : ("right that is", "rights that are")
        let names = roles.map(\.who).joined(separator: ", ")
        return "\(Elapsed.counted(count, rights.0, rights.1)) too many (\(names))"
    }

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
        // A survey reads what is misbound only if nothing is pending.
        let isMisbound =
            try await survey.isPending ? migrator.bindingFaults().contains(where: \.isFixable) : survey.isMisbound
        if isMisbound { lines += try await bind(migrator) }
        lines += try await takeBack(migrator)
        return lines + (try await next(migrator))
    }

    private func bind(_ migrator: Migrator) async throws -> [String] {
        let done = try await migrator.bind()
        let left = try await migrator.bindingFaults()
        return done.map { "bound again: \($0)" } + left.map { "next: \($0.text): \($0.remedy)" }
            + ["next: nudged replan, since changes that were made meanwhile were not seen"]
    }

    /// Takes back what a broad grant gave. If our role may not, the lines say who can.
    private func takeBack(_ migrator: Migrator) async throws -> [String] {
        let before = try await migrator.excessRights()
        if before.isEmpty { return [] }
        do throws(PostgresError) {
            try await migrator.grantRoles()
        } catch {
            guard error.sqlState == "42501" else { throw error }
            return [
                "next: \(Self.counted(RoleExcess.all(before))): "
                    + "as the owner of schema nudged, run select nudged.grant_roles()"
            ]
        }
        let left = try await migrator.excessRights()
        let taken = RoleExcess.all(before.filter { !left.contains($0) })
        var lines = taken.isEmpty ? [] : ["took back \(Self.counted(taken, isPast: true))"]
        if !left.isEmpty {
            lines.append("next: \(Self.counted(RoleExcess.all(left))), and this role may not take them back. Run:")
            lines += left.prefix(Self.mostStatements).map { "  \($0.statement);" }
            if left.count > Self.mostStatements { lines.append("  all: select statement from nudged.excess_right") }
        }
        return lines
    }

    private static let mostStatements = 10

    /// What an operator must still do. Our role may not be allowed to make roles. The schema works without them for the
    /// role that owns it.
    private func next(_ migrator: Migrator) async throws -> [String] {
        let (missing, bare) = try await migrator.rolesWanting()
        let facts = try await Migrator.survey(configuration)
        let orders =
            missing.map { Self.order(toMake: $0, facts.role) } + bare.map { Self.order(toGrant: $0, facts.role) }
        if !orders.isEmpty { return orders }
        guard facts.mayDaemonLogIn else {
            return [
                "next: let the daemon log in. In psql: \\password nudged_daemon, then: alter role nudged_daemon login;"
            ]
        }
        return ["next: nudged doctor checks all that sending needs"]
    }

    private static let grantRoles = "select nudged.grant_roles()"

    private static func order(toMake wanted: String, _ role: String) -> String {
        let order = "next: the role \(wanted) is missing, and this role may not create it: as one that may, run "
        guard wanted == "nudged_writer" else {
            return order + "create role \(wanted) nologin; then, as this role, \(grantRoles)"
        }
        return order + "create role nudged_writer nologin; grant nudged_writer to \(role); then, as this role, "
            + "\(grantRoles). Until then, the functions that write the app's tables keep their owner's rights"
    }

    private static func order(toGrant wanted: String, _ role: String) -> String {
        guard wanted == "nudged_writer" else { return "next: the role \(wanted) has no rights yet: run \(grantRoles)" }
        return "next: the functions that write the app's tables keep their owner's rights: run \(grantRoles). "
            + "nudged doctor says which right is missing, if one is. If \(role) is no member of nudged_writer, "
            + "a superuser must first run grant nudged_writer to \(role)"
    }

    /// If the database refuses a migration, nothing of it is applied, and waiting does not help.
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
            throw CommandFailure(
                "the database refused the migration \(error.statement ?? ""): \(error.cause); nothing of it was applied; "
                    + "compare with nudged migrate --dry-run and docs/TABLES.md, \"The app's tables\"",
                .configuration
            )
        }
    }
}
