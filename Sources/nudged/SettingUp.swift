import ArgumentParser
import Base
import Configuration
import Glibc
import Operator
import Systemd

struct SetUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Sets nudged up: schema, daemon's role, configuration, service.",
        discussion: """
            It asks for six things: the database's URL (of the role that owns the app's tables and may create roles), \
            Apple's key file, the team, the app's bundle id, and title and body of check-ins. It looks at the database, \
            shows its plan with each step as a command, and asks before it changes anything. Then it migrates, gives \
            nudged_daemon a password of its own, writes the configuration and the two secrets beside it, starts the \
            service where systemd runs, and runs doctor.

            Run it again to change an answer, or after it was interrupted: it does what is left, and changes only the \
            answers that you give. --undo takes it back. Your app's tables keep their rows.

            The URL holds a password, and everyone on the machine can read a command's arguments. So give the URL by \
            the variable DATABASE_URL, or type it when asked. The other five are options too.

            Exit status: 0 if nudged works, as doctor says, or if you answer no; 64 if an answer is missing; 74 if a \
            file can't be written; 77 if a right is missing; 78 if an answer or the configuration is wrong; 69 if the \
            database or Apple can't be reached.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: ArgumentHelp("Apple's key, a file AuthKey_….p8.", valueName: "file")) var key: String?
    @Option(help: ArgumentHelp("The key's id, if the file's name does not say it.", valueName: "id"))
    var keyId: String?
    @Option(help: ArgumentHelp("The team's id.", valueName: "id")) var team: String?
    @Option(help: ArgumentHelp("The app's bundle id.", valueName: "id")) var bundle: String?
    @Option(help: ArgumentHelp("The title of check-ins.", valueName: "text")) var title: String?
    @Option(help: ArgumentHelp("The body of check-ins.", valueName: "text")) var body: String?
    @Option(help: ArgumentHelp("A simulated Apple in place of Apple's servers.", valueName: "url"))
    var apple: String?
    @Option(help: ArgumentHelp("Certificates (PEM) to trust for the simulated Apple.", valueName: "file"))
    var appleCa: String?
    @Flag(help: "Only show the plan.") var dryRun = false
    @Flag(help: "Ask nothing.") var yes = false
    @Flag(help: "Take it back: stop the service, drop nudged's schemas and roles, remove the files.") var undo = false

    func validate() throws {
        if undo, dryRun { throw ValidationError("--undo has no --dry-run: it shows what it will do, and asks") }
        if appleCa != nil, apple == nil { throw ValidationError("--apple-ca goes with --apple") }
    }

    private var path: String { config.path ?? ConfigurationLoader.defaultPath }

    func run() async throws {
        let environment = ProcessEnvironment.current()
        let status = try await Output.reporting {
            try SetUpRun.check(path)
            let run = try SetUpRun(try answers(environment), path: path, environment: environment)
            return undo ? try await takeBack(run) : try await setUp(run)
        }
        guard status == .success else { throw ExitCode(status.rawValue) }
    }

    private func setUp(_ run: SetUpRun) async throws -> ExitStatus {
        let plan = try await run.plan()
        for line in plan.lines { Output.line(line.printable) }
        guard plan.status == .success, !dryRun else { return plan.status }
        Output.line("")
        guard try isAgreed("Do this?") else { return .success }
        let report = try await run.carryOut(plan) { Output.line($0.printable) }
        Output.line("\nnudged doctor says:")
        Output.line(report.troubles(on: Screen(width: Terminal.width(STDOUT_FILENO), hasBlocks: Terminal.hasBlocks)))
        if report.status == .success {
            let folder = path.lastIndex(of: "/").map { path[..<$0] } ?? "."
            let file = config.path.map { " --config \($0)" } ?? ""
            Output.line("next, with the device token of your phone:".printable)
            Output.line("  export CREDENTIALS_DIRECTORY=\(folder)/credentials".printable)
            Output.line("  nudged send-test\(file) --token TOKEN --force".printable)
        } else {
            Output.line("everything is set up: correct this, then run nudged doctor")
        }
        return report.status
    }

    private func takeBack(_ run: SetUpRun) async throws -> ExitStatus {
        for line in run.undoing { Output.line(line.printable) }
        guard try isAgreed("Take it back?") else { return .success }
        try await run.undo { Output.line($0.printable) }
        Output.line("nudged is removed")
        return .success
    }

    // MARK: Asking

    /// What is given, else what the files have, else what is typed.
    private func answers(_ environment: [String: String]) throws -> SetUpAnswers {
        let known = try Self.present(path)
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let presentKey = "\(folder)/credentials/apns.privateKey"
        var missing: [String] = []
        func ask(_ given: String?, _ option: String, _ question: String, isSecret: Bool = false) throws -> String {
            if let given, !given.isEmpty { return given }
            if undo, option != "DATABASE_URL" { return "undo" }
            let answer = yes ? nil : try Prompt.ask(question, isSecret: isSecret)
            if answer?.isEmpty ?? true {
                missing.append(option == "DATABASE_URL" ? "DATABASE_URL (a variable)" : option)
            }
            return answer ?? ""
        }
        let url = "URL of the database, such as postgresql://OWNER:PASSWORD@HOST/DATABASE (typing is not shown):"
        let answers = SetUpAnswers(
            database: try ask(environment["DATABASE_URL"], "DATABASE_URL", url, isSecret: true),
            keyFile: try ask(
                key ?? (access(presentKey, R_OK) == 0 ? presentKey : nil),
                "--key",
                "Path of Apple's key, AuthKey_….p8:"
            ),
            keyID: keyId ?? key.flatMap(SetUpAnswers.keyID) ?? known["apns.keyId"] ?? (undo ? "undo" : nil),
            team: try ask(team ?? known["apns.teamId"], "--team", "The team's id (10 characters):"),
            bundleID: try ask(bundle ?? known["apns.bundleId"], "--bundle", "The app's bundle id:"),
            title: try ask(
                title ?? known["checkIn.title"],
                "--title",
                "Title of check-ins, the pushes that come daily or weekly:"
            ),
            body: try ask(body ?? known["checkIn.body"], "--body", "Body of check-ins:"),
            endpoint: apple ?? known["apns.endpoint"],
            caFile: appleCa.map(Self.absolute) ?? known["apns.caFile"]
        )
        guard missing.isEmpty else {
            Output.error("give these: \(missing.joined(separator: ", "))")
            throw ExitCode(ExitStatus.usage.rawValue)
        }
        return answers
    }

    private static func present(_ path: String) throws -> [String: String] {
        do {
            return try ConfigurationFile.values(of: path)
        } catch {
            throw SetUpFailure.refused("nothing was changed\n\(error)", .configuration)
        }
    }

    /// The daemon runs in another folder.
    private static func absolute(_ path: String) -> String {
        guard let found = realpath(path, nil) else { return path }
        defer { free(found) }
        return String(cString: found)
    }

    private func isAgreed(_ question: String) throws -> Bool {
        if yes { return true }
        guard let answer = try Prompt.ask("\(question) [y/N]") else {
            Output.error("there is no terminal to ask: give --yes to do this")
            throw ExitCode(ExitStatus.usage.rawValue)
        }
        guard ["y", "yes"].contains(answer.lowercased()) else {
            Output.line("nothing was changed")
            return false
        }
        return true
    }
}

/// Questions at a terminal.
private enum Prompt {
    /// Nil: there is no terminal, or its input has ended.
    static func ask(_ question: String, isSecret: Bool = false) throws -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        _ = Output.write(Array("\(question) ".utf8), to: STDERR_FILENO)
        var modes = termios()
        let isHidden = isSecret && tcgetattr(STDIN_FILENO, &modes) == 0
        if isHidden {
            var quiet = modes
            // Control-C comes as a character, so that the echo is on again when the command ends.
            quiet.c_lflag &= ~tcflag_t(ECHO | ISIG)
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
        }
        defer {
            if isHidden {
                tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes)
                _ = Output.write([UInt8(ascii: "\n")], to: STDERR_FILENO)
            }
        }
        guard let line = readLine() else { return nil }
        if line.contains("\u{3}") { throw ExitCode(130) }
        return String(line.trimmingPrefix { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
