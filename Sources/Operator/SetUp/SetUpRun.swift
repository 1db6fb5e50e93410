import Base
import Configuration
import Core
import Glibc
import Postgres
import Service
package import Systemd

import struct FoundationEssentials.UUID

/// From a few answers to a daemon that runs. It looks before it writes, and a run that was killed can be repeated.
package struct SetUpRun: Sendable {
    package struct Plan: Sendable {
        package let found: [String]
        /// Each step as a command, so that a person can do it by hand.
        package fileprivate(set) var steps: [String] = []
        package var status: ExitStatus { survey.status }
        fileprivate let survey: MigrationRun.Survey
        fileprivate var password: String?
        fileprivate var changes: [SetUpFiles.File] = []
    }

    private let answers: SetUpAnswers
    let files: SetUpFiles
    let path: String
    let owner: ConnectionConfiguration
    private let migration: MigrationRun
    private let environment: [String: String]

    package init(_ answers: SetUpAnswers, path: String, environment: [String: String]) throws {
        let faults = answers.faults(try Assembly.connection(answers.database, allowInsecure: true))
        guard faults.isEmpty else { throw CommandFailure(unchanged: faults.flatMap(\.lines).joined(separator: "\n")) }
        (self.answers, self.path, self.environment) = (answers, path, environment)
        files = SetUpFiles(configuration: path)
        owner = try Assembly.connection(answers.database, allowInsecure: false, statementTimeout: .seconds(30))
        migration = MigrationRun(connection: owner, createsTables: true)
    }

    package func plan() async throws -> Plan {
        let found = try await found()
        let survey = try await migration.survey(isDryRun: false)
        var plan = Plan(found: found, survey: survey)
        guard survey.status == .success else {
            plan.steps = survey.lines.map { $0.replacing("nudged migrate --dry-run", with: "nudged setup") }
            return plan
        }
        guard survey.facts.mayCreateRoles else {
            let fix = "as a superuser: alter role \"\(owner.user)\" createrole"
            throw CommandFailure(unchanged: "\(owner.user) may not make roles; \(fix)", .permission)
        }
        // The present password is kept if it works, and nothing else of the URL has changed.
        let url = SetUpFiles.text(files.url) ?? ""
        let works = isOurs(url) ? await (try? logIn(url)) != nil : false
        if !works {
            plan.password = (UUID.random().uuidString + UUID.random().uuidString).lowercased().filter { $0 != "-" }
        }
        plan.changes = try wanted(plan.password).filter { !SetUpFiles.has($0) }
        plan.steps = steps(plan)
        return plan
    }

    private func found() async throws -> [String] {
        let pooling = try await Pooling.of(owner)
        guard pooling != .statement else {
            throw CommandFailure(unchanged: "the URL leads to a pooler in statement mode; give PostgreSQL's own")
        }
        let mode = pooling == .session ? "session" : "transaction"
        let way = pooling == .direct ? "" : ", by a pooler in \(mode) mode"
        let (server, clock) = try await Connection.once(owner) { (connection) async throws(PostgresError) in
            let begun = WallTime.microseconds()
            let server = try await DatabaseFacts.Server.read(connection)
            let margin = (WallTime.microseconds() - begun) / 2
            let ahead = server.clock - begun - margin
            return (server, Finding.clock(whose: "the database's", ahead: ahead, margin: margin))
        }
        return ["database: \(owner), PostgreSQL \(server.version)\(way)", clock.found]
            + (clock.remedy.map { ["    fix: \($0)"] } ?? []) + ["Apple: \(answers.endpoint ?? "its own servers")"]
    }

    private func wanted(_ password: String?) throws -> [SetUpFiles.File] {
        var wanted: [SetUpFiles.File] = [(files.key, try Credentials.readText(answers.keyFile, limit: 1 << 16), 0o600)]
        if let password { wanted.append((files.url, url(password: password), 0o600)) }
        if let text = try ConfigurationFile.changed(path, to: answers.values, standard: answers.file) {
            wanted.append((files.configuration, text, SetUpFiles.mode(files.configuration) ?? 0o644))
        }
        return wanted
    }

    private func url(password: String) -> String {
        owner.url(user: SetUpAnswers.daemon(beside: owner), password: password)
    }

    /// Whether a URL differs from the daemon's at most by the password.
    func isOurs(_ url: String) -> Bool {
        let place = try? Assembly.connection(url, allowInsecure: false)
        return place?.url(user: place?.user ?? "", password: "x") == self.url(password: "x")
    }

    private func logIn(_ url: String, attempts: Int = 1) async throws {
        let daemon = try Assembly.connection(url, allowInsecure: false, statementTimeout: .seconds(30))
        for attempt in 1... {
            do throws(PostgresError) { return try await Connection.once(daemon) { _ in } } catch {
                guard attempt < attempts else { throw error }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func steps(_ plan: Plan) -> [String] {
        let role = SetUpAnswers.role
        // The survey also says that check-ins need a text, which setup writes.
        let survey = plan.survey.lines.filter { !answers.writesText || !$0.contains("--with-templates") }
        var lines = ["nudged migrate --create-tables"] + survey.map { "    \($0)" }
        if answers.writesText {
            lines.append("psql -c \"insert into nudged.template (title, body) values ('…', '…')\"    # check-ins' text")
        }
        if plan.password == nil {
            lines.append("the password of \(role) stays as it is")
        } else {
            lines.append("psql -c '\\password \(role)' -c 'alter role \(role) login'")
            lines.append("    with a random password that setup makes")
            let others = "Other daemons with this role, of other databases too, need the new one"
            if plan.survey.facts.mayDaemonLogIn { lines.append("    \(role) has a password already. \(others)") }
        }
        for file in plan.changes {
            let source = file.path == files.key ? answers.keyFile : "/dev/stdin"
            lines.append("install -m \(String(file.mode, radix: 8)) \(source) \(file.path)")
        }
        if plan.changes.isEmpty { lines.append("the files in \(files.folder) stay as they are") }
        return lines + unitCommands(plan) + ["nudged doctor"]
    }

    /// Does what was planned. `tell` gets a line for each thing that is done. Returns doctor's report.
    package func apply(_ seen: Plan, _ tell: @escaping @Sendable (String) throws -> Void) async throws -> DoctorReport {
        let lock = try files.lock()
        defer { close(lock) }
        // Another set-up may have changed something since.
        let plan = try await self.plan()
        guard plan.status == .success, plan.steps == seen.steps else {
            throw CommandFailure("something has changed since the plan: run nudged setup again", .temporary)
        }
        let wasRestartDue = files.isRestartDue
        var isPlacing = false
        defer {
            files.clear()
            if !isPlacing, !wasRestartDue { files.restarted() }
        }
        try files.stage(plan.changes)
        try check(plan)
        try tell("the configuration is valid")
        let done = try await migration.apply(plan.survey) { try? tell($0) }
        // Of its next steps, these two come anyway.
        let comes = ["next: let the daemon log in", "next: nudged doctor"]
        for line in done where !comes.contains(where: line.hasPrefix) { try tell(line) }
        if answers.writesText {
            // The row 0 is setup's own, so that another run replaces it.
            let sql = """
                insert into nudged.template (id, title, body) overriding system value values (0, $1, $2)
                on conflict (id) do update set title = excluded.title, body = excluded.body, active = true
                """
            let text = Statement("set_up_text", sql: sql, parameters: [.text(answers.title), .text(answers.body)])
            _ = try await Connection.once(owner) { (connection) async throws(PostgresError) in
                try await connection.run(text)
            }
            try tell("check-ins have their text, in nudged.template")
        }
        if let password = plan.password {
            try await Connection.once(owner) { (connection) async throws(PostgresError) in
                let verifier = try await connection.verifier(password: password, user: SetUpAnswers.role)
                // A verifier has no quotation mark, and ALTER ROLE takes no parameters.
                try await connection.execute(script: "alter role \(SetUpAnswers.role) login password '\(verifier)'")
            }
            try tell("\(SetUpAnswers.role) has a new password and may log in")
            do {
                // A pooler may keep the old password for some seconds.
                try await logIn(url(password: password), attempts: 10)
            } catch {
                let why = "nudged_daemon can't log in with its new password: \(error)"
                let fix = "pg_hba.conf, or the pooler's list of users, must let it in by password (scram-sha-256)"
                throw CommandFailure("\(why); \(fix); then run nudged setup again", .unavailable)
            }
        }
        isPlacing = true
        try SetUpFiles.place(plan.changes)
        for file in plan.changes { try tell("wrote \(file.path)") }
        let before = try await startedLast()
        for command in unitCommands(plan) {
            try Self.run(command)
            try tell(command)
        }
        files.restarted()
        // A daemon says that it is there a moment after its start. Doctor would miss it.
        for _ in 0..<50 where hasUnit && !plan.changes.isEmpty {
            if try await startedLast() != before { break }
            try await Task.sleep(for: .milliseconds(200))
        }
        if !hasUnit { try tell("no service was started: nudged run starts a daemon") }
        // As the daemon sees it: of our variables, none that gives a value.
        var doctor = environment.filter { ["PATH", "TZDIR"].contains($0.key) }
        doctor["CREDENTIALS_DIRECTORY"] = files.credentials
        return await DoctorReport.examine(path: path, environment: doctor)
    }

    private func check(_ plan: Plan) throws {
        let key = plan.changes.first { $0.path == files.key }?.text ?? SetUpFiles.text(files.key)
        let isNew = plan.changes.contains { $0.path == files.configuration }
        let staged = SetUpFiles.staged(files.configuration)
        let secrets = ["APNS_PRIVATE_KEY": key ?? "", "DATABASE_URL": url(password: plan.password ?? "x")]
        let file = isNew ? staged : files.configuration
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader.load(path: file, environment: secrets, checks: .system)
        } catch {
            throw CommandFailure(unchanged: "\(error)".replacing(staged, with: files.configuration), error.exitStatus)
        }
    }

    private func startedLast() async throws -> String? {
        let newest = Statement("started_last", sql: "select max(started_at)::text from nudged.daemon", parameters: [])
        return try await Connection.once(owner) { (connection) async throws(PostgresError) in
            try await connection.run(newest).textOrNull(0, 0)
        }
    }

    /// A service that runs reads a new secret or configuration only when it starts again.
    private func unitCommands(_ plan: Plan) -> [String] {
        guard hasUnit else { return [] }
        return plan.changes.isEmpty && !files.isRestartDue
            ? ["systemctl enable --now nudged"] : ["systemctl enable nudged", "systemctl restart nudged"]
    }

    /// Only for the unit's own configuration, where systemd runs and the unit is installed.
    var hasUnit: Bool {
        let needed = ["/run/systemd/system", "/lib/systemd/system/nudged.service"]
        return path == ConfigurationLoader.defaultPath && needed.allSatisfy { access($0, F_OK) == 0 }
    }

    static func run(_ command: String) throws(CommandFailure) {
        let status = system(command)
        guard status == 0 else {
            let next = "see journalctl -u nudged -n 20, then run nudged setup again"
            throw CommandFailure("\(command) ended with status \(status >> 8): \(next)", .unavailable)
        }
    }

    package var undoing: [String] {
        (hasUnit ? ["systemctl disable --now nudged"] : []) + [
            "rm \(files.key) \(files.url) \(files.configuration)",
            "in \(owner):",
            "    drop schema nudged, nudged_api, nudged_me cascade: the record, messages and reminders are lost",
            "    drop owned by nudged_daemon, nudged_app, nudged_writer; drop these roles",
            "your app's tables stay. So do columns and tables that nudged added",
        ]
    }

    package func undo(_ tell: (String) -> Void) async throws {
        let lock = try files.lock()
        defer { close(lock) }
        if let url = SetUpFiles.text(files.url), !isOurs(url) {
            let way = "give the URL of that database, or remove the files yourself"
            throw CommandFailure("the files in \(files.folder) are of another database: \(way)", .configuration)
        }
        // A database that doesn't answer leaves the service as it is.
        try await Connection.once(owner) { _ in }
        if hasUnit {
            try Self.run("systemctl disable --now nudged")
            tell("systemctl disable --now nudged")
        }
        try await Connection.once(owner) { (connection) async throws(PostgresError) in
            let isOurs = Statement("set_up_is_ours", sql: "select to_regclass('nudged.migration') is not null")
            if try await connection.run(isOurs).bool(0, 0) {
                try await dropSchemas(connection)
                tell("dropped the schemas nudged, nudged_api and nudged_me")
            } else {
                tell("no migration of nudged is in this database, so its schemas stay")
            }
            for role in [SetUpAnswers.role, "nudged_app", "nudged_writer"] { await drop(role, connection, tell) }
        }
        for file in try files.remove() { tell("removed \(file)") }
    }

    /// The app's reads wait behind a lock that waits. So it waits only briefly, and tries again.
    private func dropSchemas(_ connection: Connection) async throws(PostgresError) {
        let script = "set local lock_timeout = '500ms'; drop schema if exists nudged, nudged_api, nudged_me cascade"
        for attempt in 1... {
            do throws(PostgresError) {
                return try await connection.execute(script: script, timeout: .seconds(600))
            } catch {
                guard error.sqlState == "55P03", attempt < 60 else { throw error }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    /// A role that owns something of the app, or that another database needs, stays.
    private func drop(_ role: String, _ connection: Connection, _ tell: (String) -> Void) async {
        let revoke = """
            do $$ begin
                if exists (select from pg_roles r where rolname = '\(role)' and not exists (
                    select from pg_shdepend
                    where refclassid = 'pg_authid'::regclass and refobjid = r.oid and deptype = 'o'
                        and dbid = (select oid from pg_database where datname = current_database())
                )) then
                    if not pg_has_role(current_user, '\(role)', 'usage') then grant \(role) to current_user; end if;
                    drop owned by \(role);
                end if;
            end $$
            """
        do throws(PostgresError) {
            try await connection.execute(script: revoke)
            try await connection.execute(script: "drop role if exists \(role)")
            tell("dropped the role \(role)")
        } catch {
            let why = error.sqlState == "2BP01" ? "another database or the app uses it" : "\(error)"
            tell("the role \(role) stays: \(why)")
        }
    }
}

/// Why a set-up ended. What was done before it stays right: the same command goes on from there.
extension CommandFailure {
    init(unchanged why: String, _ exitStatus: ExitStatus = .configuration) {
        self.init("nothing was changed\n\(why)", exitStatus)
    }

    init(file path: String, _ number: Int32) {
        let fix = number == EACCES ? "; run it as root" : ""
        let isForbidden = number == EACCES || number == EPERM
        self.init("\(path): \(String(cString: strerror(number)))\(fix)", isForbidden ? .permission : .ioError)
    }
}
