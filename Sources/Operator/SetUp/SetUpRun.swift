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
        fileprivate var files: [SetUpFiles.File] = []
        /// The daemon's URL with a new password; nil: the present file's still works.
        fileprivate var newURL: String?
        fileprivate var password = ""
    }

    private let answers: SetUpAnswers
    private let files: SetUpFiles
    private let path: String
    private let owner: ConnectionConfiguration
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
        owner = try Assembly.connection(answers.database, allowInsecure: false, statementTimeout: .seconds(30))
        migration = MigrationRun(owner, createsTables: true)
    }

    // MARK: Looking

    package func plan() async throws -> Plan {
        var plan = Plan()
        let pooling = try await Pooling.of(owner)
        guard pooling != .statement else {
            throw SetUpFailure.refused(
                "the URL leads to a pooler in statement mode: give one without it",
                .configuration
            )
        }
        let place = pooling == .direct ? "" : ", behind a pooler"
        plan.lines.append("database: \(owner)\(place)")
        let survey = try await migration.survey(isDryRun: false)
        (plan.survey, plan.status) = (survey, survey.status)
        guard survey.status == .success else {
            plan.lines += survey.lines
            return plan
        }
        try await lookAtFiles(&plan)
        plan.lines += steps(plan, survey)
        return plan
    }

    private func lookAtFiles(_ plan: inout Plan) async throws {
        let file = try changedFile()
        var url = try? String(decoding: SetUpFiles.read(files.path(SetUpFiles.url)), as: UTF8.self)
        // The present password is kept if it works, and nothing else of the URL has changed.
        let isKept = await works(url?.split(separator: "\n").first.map(String.init))
        if !isKept {
            plan.password = (UUID.random().uuidString + UUID.random().uuidString).lowercased().filter { $0 != "-" }
            plan.newURL = answers.daemonURL(password: plan.password)
            url = plan.newURL.map { "\($0)\n" }
        }
        plan.files = [
            .init(name: SetUpFiles.key, bytes: try SetUpFiles.read(answers.keyFile), mode: 0o600),
            .init(name: SetUpFiles.url, bytes: Array((url ?? "").utf8), mode: 0o600),
            .init(name: files.configuration, bytes: Array(file.text.utf8), mode: 0o644),
        ]
    }

    private func changedFile() throws -> ConfigurationFile {
        do {
            return try ConfigurationFile(changing: path, to: answers.values, standard: answers.file)
        } catch let fault as ConfigurationFile.Unclear {
            throw SetUpFailure.refused("nothing was changed\n\(fault)", .configuration)
        }
    }

    private func works(_ url: String?) async -> Bool {
        guard let url, let at = url.lastIndex(of: "@"), let mine = answers.daemonURL(password: "x").lastIndex(of: "@")
        else { return false }
        guard url[at...] == answers.daemonURL(password: "x")[mine...] else { return false }
        return await (try? logIn(url)) != nil
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
            lines.append("    with a password that nobody has to know")
        }
        for file in plan.files {
            let target = files.path(file.name)
            let source =
                switch file.name {
                case SetUpFiles.key: answers.keyFile
                case SetUpFiles.url: "(the URL of \(SetUpAnswers.role))"
                default: "(team, key, app, and the check-in's text)"
                }
            let isThere = files.isThere(file)
            lines.append(isThere ? "\(target) stays as it is" : "install -m \(octal(file.mode)) \(source) \(target)")
        }
        return lines + unitCommands(isChanged: isChange(plan)).map { $0.joined(separator: " ") } + ["nudged doctor"]
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
        guard let survey = plan.survey else { preconditionFailure("a plan with faults is not carried out") }
        try files.stage(plan.files)
        defer { files.clear() }
        try check()
        try tell("the configuration is right")
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
        let isChanged = isChange(plan)
        let changed = plan.files.filter { !files.isThere($0) }
        try files.place(plan.files)
        for file in changed { try tell("wrote \(files.path(file.name))") }
        for command in unitCommands(isChanged: isChanged) {
            try Self.run(command)
            try tell(command.joined(separator: " "))
        }
        // As the daemon sees it: of our variables, none that gives a value.
        var doctor = environment.filter { ["PATH", "TZDIR"].contains($0.key) }
        doctor["CREDENTIALS_DIRECTORY"] = files.path(SetUpFiles.credentials)
        return await DoctorReport.examine(path: path, environment: doctor)
    }

    /// Reads the staged files as the daemon will read them.
    private func check() throws {
        do throws(ConfigurationError) {
            _ = try ConfigurationLoader.load(
                path: "\(files.stage)/\(files.configuration)",
                environment: ["CREDENTIALS_DIRECTORY": "\(files.stage)/\(SetUpFiles.credentials)"],
                checks: .system
            )
        } catch {
            let text = "\(error)".replacing("\(files.stage)/", with: "\(files.folder)/")
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
                    throw SetUpFailure.login("\(way); pg_hba.conf must let it in by scram-sha-256")
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
        return isChanged ? [["systemctl", "enable", "nudged"], ["systemctl", "restart", "nudged"]] : [plain]
    }

    /// Only for the unit's own configuration, where systemd runs and the unit is installed.
    private var hasUnit: Bool {
        let units = ["/etc/systemd/system", "/lib/systemd/system", "/usr/lib/systemd/system"]
        return path == ConfigurationLoader.defaultPath && access("/run/systemd/system", F_OK) == 0
            && units.contains { access("\($0)/nudged.service", F_OK) == 0 }
    }

    private func isChange(_ plan: Plan) -> Bool { plan.files.contains { !files.isThere($0) } }

    private static func run(_ command: [String]) throws(SetUpFailure) {
        var child: pid_t = 0
        let arguments = command.map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let shown = command.joined(separator: " ")
        guard posix_spawnp(&child, command[0], nil, nil, arguments, environ) == 0 else { throw .command(shown, 127) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        guard status == 0 else { throw .command(shown, status >> 8) }
    }

    // MARK: Taking back

    /// What `undo` will do, for a person.
    package var undoing: [String] {
        (hasUnit ? ["systemctl disable --now nudged"] : []) + [
            "rm \(files.path(SetUpFiles.key)) \(files.path(SetUpFiles.url)) \(path)",
            "in \(owner):", "    drop schema nudged, nudged_api, nudged_me cascade: the record, messages and reminders are lost",
            "    drop owned by nudged_daemon, nudged_app, nudged_writer; drop these roles",
            "the app's tables stay, with the columns and tables that nudged added",
        ]
    }

    /// Stops the service, removes the files, and drops nudged's schemas and roles.
    package func undo(_ tell: (String) -> Void) async throws {
        if hasUnit {
            try Self.run(["systemctl", "disable", "--now", "nudged"])
            tell("systemctl disable --now nudged")
        }
        let connection = try await Connection.open(owner)
        do {
            try await connection.execute(
                script: "drop schema if exists nudged, nudged_api, nudged_me cascade",
                timeout: .seconds(600)
            )
            tell("dropped the schemas nudged, nudged_api and nudged_me")
            for role in [SetUpAnswers.role, "nudged_app", "nudged_writer"] { await drop(role, connection, tell) }
            await connection.close()
        } catch {
            await connection.close()
            throw error
        }
        for file in try files.remove() { tell("removed \(file)") }
    }

    private func drop(_ role: String, _ connection: Connection, _ tell: (String) -> Void) async {
        let script = """
            do $$ begin
                if exists (select from pg_roles where rolname = '\(role)') then
                    execute 'drop owned by \(role)';
                    execute 'drop role \(role)';
                end if;
            end $$
            """
        do throws(PostgresError) {
            try await connection.execute(script: script)
            tell("dropped the role \(role)")
        } catch {
            tell("the role \(role) stays: another database uses it, or this role may not drop it (\(error))")
        }
    }
}
