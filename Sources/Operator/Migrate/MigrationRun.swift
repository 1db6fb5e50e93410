package import Configuration
import Service
import Postgres
import Core
package import Systemd

package struct MigrationRun: Sendable {
    package struct Survey: Sendable {
        package fileprivate(set) var lines: [String]
        package fileprivate(set) var status = ExitStatus.success
        let facts: SetUpFacts
        fileprivate var isPending = false
        fileprivate var isMisbound = false
    }

    let connection: ConnectionConfiguration
    let createsTables: Bool
    var usesTemplates = false
}

extension MigrationRun {
    package init(_ configuration: Configuration, createsTables: Bool, usesTemplates: Bool) throws {
        let connection = try DatabaseAccess(configuration).connection
        self.init(connection: connection, createsTables: createsTables, usesTemplates: usesTemplates)
    }

    /// Reads the catalog, in a single attempt: a person at a terminal wants the error at once.
    package func survey(isDryRun: Bool) async throws -> Survey {
        let facts = try await Migrator.survey(connection)
        switch facts.schemaState {
        case .current, .hidden, .misbound: return current("the schema is current", facts, isDryRun)
        case .newer:
            return current("a newer nudged has migrated the schema, and this version works with it", facts, isDryRun)
        case .behind(let pending, _):
            var plan = MigrationPlan(facts, pending: pending)
            (plan.createsTables, plan.usesTemplates) = (createsTables, usesTemplates)
            let fix = "next: fix what is in the way, then run nudged migrate --dry-run again"
            let end = plan.status != .success ? [fix] : isDryRun ? Self.dryEnd(facts.excess) : []
            return Survey(lines: plan.lines + end, status: plan.status, facts: facts, isPending: true)
        case let schemaState: throw schemaState.failure
        }
    }

    private func current(_ state: String, _ facts: SetUpFacts, _ isDryRun: Bool) -> Survey {
        let faults = facts.bindingFaults
        guard !facts.excess.isEmpty || !faults.isEmpty else {
            return Survey(lines: ["nothing to do: \(state)"], facts: facts)
        }
        var survey = Survey(lines: ["no migration is pending: \(state)"] + faults.map(\.text), facts: facts)
        survey.isMisbound = faults.contains(where: \.isFixable)
        if let fault = faults.first(where: { !$0.isFixable }) {
            survey.lines.append("fix: \(fault.remedy)")
            if !survey.isMisbound { survey.status = .configuration }
        }
        if isDryRun, survey.status == .success { survey.lines += Self.dryEnd(facts.excess) }
        return survey
    }

    private static func dryEnd(_ excess: [ExcessRight]) -> [String] {
        let taken = excess.isEmpty ? [] : ["take back \(counted(excess)):"]
        return taken + RoleExcess.all(excess).map { "  \($0.who): \($0.text)" }
            + ["next: nudged migrate without --dry-run does this"]
    }

    /// `352 rights that are too many (anon, authenticated)`.
    private static func counted(_ excess: [ExcessRight], isPast: Bool = false) -> String {
        let roles = RoleExcess.all(excess)
        let count = roles.reduce(0) { $0 + $1.count }
        let rights = isPast ? ("right that was", "rights that were") : ("right that is", "rights that are")
        return "\(Elapsed.counted(count, rights.0, rights.1)) too many (\(roles.map(\.who).joined(separator: ", ")))"
    }

    /// Returns what was done, and the next step. `onHeld` is called once if another session holds a table.
    package func apply(_ survey: Survey, onHeld: @escaping @Sendable (String) -> Void) async throws -> [String] {
        let migrator = Migrator(configuration: connection)
        defer { Task { await migrator.close() } }
        var lines: [String] = []
        if survey.isPending {
            let applied = try await apply(migrator, onHeld)
            lines += applied.map { "applied \($0.label)" }
            if applied.isEmpty { lines.append("nothing to do: another nudged migrate has applied them") }
        }
        if usesTemplates {
            try await migrator.activateTemplates()
            lines.append("the built-in templates are active")
        }
        // A survey reads what is misbound only if nothing is pending.
        let isMisbound =
            try await survey.isPending ? migrator.bindingFaults().contains(where: \.isFixable) : survey.isMisbound
        if isMisbound {
            lines += try await migrator.bind().map { "bound again: \($0)" }
            lines += try await migrator.bindingFaults().map { "next: \($0.text): \($0.remedy)" }
            lines.append("next: nudged replan, since changes that were made meanwhile were not seen")
        }
        lines += try await takeBack(migrator)
        return lines + (try await next(migrator))
    }

    /// Takes back what a broad grant gave. If our role may not, the lines say who can.
    private func takeBack(_ migrator: Migrator) async throws -> [String] {
        let before = try await migrator.excessRights()
        if before.isEmpty { return [] }
        do throws(PostgresError) {
            try await migrator.grantRoles()
        } catch {
            guard error.sqlState == "42501" else { throw error }
            return ["next: \(Self.counted(before)): as the owner of schema nudged, run \(Self.grantRoles)"]
        }
        let left = try await migrator.excessRights()
        let taken = before.filter { !left.contains($0) }
        var lines = taken.isEmpty ? [] : ["took back \(Self.counted(taken, isPast: true))"]
        if !left.isEmpty {
            lines.append("next: \(Self.counted(left)), and this role may not take them back. Run:")
            lines += left.prefix(Self.mostStatements).map { "  \($0.statement);" }
            if left.count > Self.mostStatements { lines.append("  all: select statement from nudged.excess_right") }
        }
        return lines
    }

    private static let mostStatements = 10

    /// What an operator must still do. Without the roles, the schema works for the role that owns it.
    private func next(_ migrator: Migrator) async throws -> [String] {
        let (missing, bare) = try await migrator.rolesWanting()
        let facts = try await Migrator.survey(connection)
        let orders =
            missing.map { Self.order(toMake: $0, facts.role) } + bare.map { Self.order(toGrant: $0, facts.role) }
        if !orders.isEmpty { return orders }
        if facts.mayDaemonLogIn { return ["next: nudged doctor checks all that sending needs"] }
        return ["next: let the daemon log in. In psql: \\password nudged_daemon, then: alter role nudged_daemon login;"]
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
            let what = "the database refused the migration \(error.statement ?? ""): \(error.cause)"
            let fix = "compare with nudged migrate --dry-run and docs/TABLES.md, \"The app's tables\""
            throw CommandFailure("\(what); nothing of it was applied; \(fix)", .configuration)
        }
    }
}
