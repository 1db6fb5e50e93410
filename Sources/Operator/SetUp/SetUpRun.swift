import Configuration
import Core
import Glibc
import Postgres
import Base
import Service
package import Systemd

import struct FoundationEssentials.UUID

/// `nudged setup`: from six answers to a daemon that runs. It looks before it writes, and each step may be repeated: a
/// run that was killed is finished by the next one.
package struct SetUpRun: Sendable {
    /// What will be done, for a person. Nothing was changed.
    package struct Plan: Sendable {
        package var lines: [String] = []
        /// Not `success`: something is in the way.
        package var status = ExitStatus.success
        fileprivate var survey: MigrationRun.Survey?
        /// The daemon's URL with a new password; nil: the present file's still works.
        fileprivate var newURL: String?
        fileprivate var password = ""
        fileprivate var daemonLogsIn = false
        fileprivate var isChange: Bool { !changes.isEmpty }
        fileprivate var changes: [SetUpFiles.File] = []
    }

    private let answers: SetUpAnswers
    let files: SetUpFiles
    let path: String
    let owner: ConnectionConfiguration
    private let migration: MigrationRun
    private let environment: [String: String]

    /// - Parameters:
    ///   - path: the configuration file that is written.
    ///   - environment: all variables.
    /// - Throws: what is wrong with the answers.
    package init(_ answers: SetUpAnswers, path: String, environment: [String: String]) throws {
        let faults = answers.faults
        guard faults.isEmpty else {
            throw SetUpFailure.answers(faults.flatMap { ["  error  \($0.found)", "         fix: \($0.remedy ?? "")"] })
        }
        self.answers = answers
        self.path = path
        self.environment = environment
        files = SetUpFiles(configuration: path)
        try files.check()
        owner = try Assembly.connection(answers.database, allowInsecure: false, statementTimeout: .seconds(30))
        migration = MigrationRun(owner, createsTables: true)
    }

    /// Fails if the files can't be written, before anything is asked.
    package static func check(_ path: String) throws { try SetUpFiles(configuration: path).check() }

    // MARK: Looking

    package func plan() async throws -> Plan {
        var plan = Plan()
        let pooling = try await Pooling.of(owner)
        guard pooling != .statement else {
            throw SetUpFailure.refused(
                "nothing was changed: the URL leads to a pooler in statement mode; give PostgreSQL's own",
                .configuration
            )
        }
        let way =
            switch pooling {
            case .direct: ""
            case .session: ", by a pooler in session mode"
            default: ", by a pooler in transaction mode"
            }
        plan.lines.append("database: \(owner)\(way)")
        try await lookAtRole(&plan)
        let survey = try await migration.survey(isDryRun: false)
        (plan.survey, plan.status) = (survey, survey.status)
        guard survey.status == .success else {
            plan.lines += survey.lines.map { $0.replacing("nudged migrate --dry-run", with: "nudged setup") }
            return plan
        }
        try await lookAtFiles(&plan)
        plan.lines += steps(plan, survey)
        return plan
    }

    /// Whether this role may make nudged's roles and give the daemon a password.
    private func lookAtRole(_ plan: inout Plan) async throws {
        let connection = try await Connection.open(owner)
        let query = Statement(
            "set_up_role",
            sql: """
                select rolsuper or rolcreaterole, exists (
                    select from pg_roles where rolname = 'nudged_daemon' and rolcanlogin
                ) from pg_roles where rolname = current_user
                """
        )
        let found: Result<(Bool, Bool), PostgresError>
        do throws(PostgresError) {
            let rows = try await connection.run(query)
            found = .success((try rows.bool(0, 0), try rows.bool(0, 1)))
        } catch {
            found = .failure(error)
        }
        await connection.close()
        let (mayMakeRoles, daemonLogsIn) = try found.get()
        guard mayMakeRoles else {
            let fix = "as a superuser: alter role \"\(owner.user)\" createrole"
            throw SetUpFailure.refused("nothing was changed: \(owner.user) may not make roles; \(fix)", .permission)
        }
        plan.daemonLogsIn = daemonLogsIn
    }

    private func lookAtFiles(_ plan: inout Plan) async throws {
        let file = try changedFile()
        let present = try? String(decoding: SetUpFiles.read(files.path(SetUpFiles.url)), as: UTF8.self)
        // The present password is kept if it works, and nothing else of the URL has changed.
        if await !works(present?.split(separator: "\n").first.map(String.init)) {
            plan.password = (UUID.random().uuidString + UUID.random().uuidString).lowercased().filter { $0 != "-" }
            plan.newURL = url(password: plan.password)
            if plan.daemonLogsIn {
                plan.lines.append(
                    "\(SetUpAnswers.role) has a password already. Setup gives it a new one. "
                        + "Other daemons with this role, of other databases too, need the new one"
                )
            }
        }
        var all = [
            SetUpFiles.File(name: SetUpFiles.key, bytes: try SetUpFiles.read(answers.keyFile), mode: 0o600)
        ]
        if let url = plan.newURL { all.append(.init(name: SetUpFiles.url, bytes: Array("\(url)\n".utf8), mode: 0o600)) }
        if let text = file.text {
            let mode = files.mode(files.configuration) ?? 0o644
            all.append(.init(name: files.configuration, bytes: Array(text.utf8), mode: mode))
        }
        plan.changes = all.filter { !files.isThere($0) }
    }

    private func url(password: String) -> String {
        owner.url(user: answers.daemon(beside: owner.user), password: password)
    }

    private func changedFile() throws -> ConfigurationFile {
        do {
            return try ConfigurationFile(
                changing: path,
                to: answers.values,
                without: answers.unwanted,
                standard: answers.file
            )
        } catch let fault as ConfigurationFile.Unclear {
            throw SetUpFailure.refused("nothing was changed\n\(fault)", .configuration)
        }
    }

    private func works(_ url: String?) async -> Bool {
        guard let url, isOurs(url) else { return false }
        return await (try? logIn(url)) != nil
    }

    /// Whether a URL differs from the daemon's only by the password, which holds no special character.
    func isOurs(_ url: String) -> Bool {
        let mine = self.url(password: "x").split(separator: ":x@", maxSplits: 1)
        guard mine.count == 2, url.hasPrefix(mine[0] + ":"), url.hasSuffix("@" + mine[1]) else { return false }
        return url.dropFirst(mine[0].count + 1).dropLast(mine[1].count + 1).allSatisfy(\.isHexDigit)
    }

    private func logIn(_ url: String) async throws {
        let daemon = try Assembly.connection(url, allowInsecure: false, statementTimeout: .seconds(30))
        await (try Connection.open(daemon)).close()
    }

    /// Each step as a command, so that a person can do it by hand.
    private func steps(_ plan: Plan, _ survey: MigrationRun.Survey) -> [String] {
        var lines = ["", "nudged migrate --create-tables"] + survey.lines.map { "    \($0)" }
        if plan.newURL == nil {
            lines.append("the password of \(SetUpAnswers.role) stays as it is")
        } else {
            lines.append("psql -c '\\password \(SetUpAnswers.role)' -c 'alter role \(SetUpAnswers.role) login'")
            lines.append("    with a random password that setup makes")
        }
        for file in plan.changes {
            let (source, content) =
                switch file.name {
                case SetUpFiles.key: (answers.keyFile, "")
                case SetUpFiles.url: ("/dev/stdin", "    # the URL of \(SetUpAnswers.role)")
                default: ("/dev/stdin", "    # team, key, app, and the check-in's text")
                }
            lines.append("install -m \(octal(file.mode)) \(source) \(files.path(file.name))\(content)")
        }
        if !plan.isChange { lines.append("the files in \(files.folder) stay as they are") }
        return lines + unitCommands(isChanged: plan.isChange).map { $0.joined(separator: " ") } + ["nudged doctor"]
    }

    private func octal(_ mode: mode_t) -> String { String(mode, radix: 8) }

    // MARK: Doing

    /// Does what was planned.
    ///
    /// - Parameter tell: gets a line for each thing that is done.
    /// - Returns: doctor's report.
    package func carryOut(_ plan: Plan, _ tell: @escaping @Sendable (String) throws -> Void) async throws
        -> DoctorReport
    {
        let lock = try files.lock()
        defer { close(lock) }
        // Another set-up may have changed something since.
        let now = try await self.plan()
        guard now.lines == plan.lines, let survey = now.survey else {
            throw SetUpFailure.refused("something has changed since the plan: run nudged setup again", .temporary)
        }
        let plan = now
        defer { files.clear() }
        try files.stage(plan.changes)
        try check(plan)
        try tell("the configuration is valid")
        let held: @Sendable (String) -> Void = { try? tell($0) }
        // Of its next steps, these two come anyway.
        let known = ["next: let the daemon log in", "next: nudged doctor"]
        for line in try await migration.apply(survey, onHeld: held) where !known.contains(where: line.hasPrefix) {
            try tell(line)
        }
        if let url = plan.newURL {
            try await setPassword(plan.password)
            try tell("\(SetUpAnswers.role) has a new password and may log in")
            try await tryLogIn(url)
        }
        try files.place(plan.changes)
        for file in plan.changes { try tell("wrote \(files.path(file.name))") }
        for command in unitCommands(isChanged: plan.isChange) {
            try Self.run(command)
            try tell(command.joined(separator: " "))
        }
        files.restarted()
        if !hasUnit { try tell("no service was started: nudged run starts a daemon") }
        // As the daemon sees it: of our variables, none that gives a value.
        var doctor = environment.filter { ["PATH", "TZDIR"].contains($0.key) }
        doctor["CREDENTIALS_DIRECTORY"] = files.path(SetUpFiles.credentials)
        return await DoctorReport.examine(path: path, environment: doctor)
    }

    /// Reads the new values as the daemon will read them.
    private func check(_ plan: Plan) throws {
        func bytes(_ name: String) -> [UInt8] {
            plan.changes.first { $0.name == name }?.bytes ?? (try? SetUpFiles.read(files.path(name))) ?? []
        }
        let isNew = plan.changes.contains { $0.name == files.configuration }
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader.load(
                path: isNew ? files.stagedConfiguration : files.path(files.configuration),
                environment: [
                    "APNS_PRIVATE_KEY": String(decoding: bytes(SetUpFiles.key), as: UTF8.self),
                    "DATABASE_URL": plan.newURL ?? url(password: "x"),
                ],
                checks: .system
            )
        } catch {
            let text = "\(error)".replacing(files.stagedConfiguration, with: files.path(files.configuration))
            throw SetUpFailure.refused("nothing was changed\n\(text)", error.exitStatus)
        }
    }

    private func setPassword(_ password: String) async throws {
        let connection = try await Connection.open(owner)
        do {
            let verifier = try await connection.verifier(password: password, user: SetUpAnswers.role)
            // A verifier has no quotation mark, and ALTER ROLE takes no parameters.
            try await connection.execute(script: "alter role \(SetUpAnswers.role) login password '\(verifier)'")
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
    }

    /// A pooler may keep the old password for some seconds.
    private func tryLogIn(_ url: String) async throws {
        var attempt = 1
        while true {
            do {
                return try await logIn(url)
            } catch {
                guard attempt < 10 else {
                    let way = "nudged_daemon can't log in with its new password: \(error)"
                    let fix = "pg_hba.conf, or the pooler's list of users, must let it in by password (scram-sha-256)"
                    throw SetUpFailure.login("\(way); \(fix); then run nudged setup again")
                }
                attempt += 1
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    // MARK: The service

    /// A service that runs reads a new secret or configuration only when it starts again.
    private func unitCommands(isChanged: Bool) -> [[String]] {
        guard hasUnit else { return [] }
        let plain = ["systemctl", "enable", "--now", "nudged"]
        return isChanged || files.isRestartDue
            ? [["systemctl", "enable", "nudged"], ["systemctl", "restart", "nudged"]] : [plain]
    }

    /// Only for the unit's own configuration, where systemd runs and the unit is installed.
    var hasUnit: Bool {
        let units = ["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"]
        return path == ConfigurationLoader.defaultPath && access("/run/systemd/system", F_OK) == 0
            && units.contains { access("\($0)/nudged.service", F_OK) == 0 }
    }

    static func run(_ command: [String]) throws(SetUpFailure) {
        var child: pid_t = 0
        let arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let shown = command.joined(separator: " ")
        guard posix_spawnp(&child, command[0], nil, nil, arguments, environ) == 0 else { throw .command(shown, 127) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw .command(shown, status >> 8) }
    }
}
