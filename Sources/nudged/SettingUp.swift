import ArgumentParser
import Base
import Configuration
import Glibc
import Operator
import Service
import Systemd

struct SetUp: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup",
        abstract: "Sets nudged up: schema, daemon's role, configuration, service.",
        discussion: """
            It asks for what you don't give. The database's URL is that of the role that owns the app's tables and may \
            create roles. Everyone on the machine can read a command's arguments, so give it by the variable \
            DATABASE_URL, or type it. Setup looks at the database, shows each step as a command, and asks before it \
            changes anything.

            Run it again to change an answer, or after it was interrupted: it does what is left, and changes only the \
            answers that you give. --undo takes it back. Your app's tables keep their rows.

            Without a key, run nudged-apple in another terminal, and give --apple simulated. Later, --key alone \
            replaces the simulated Apple by the real one.

            Exit status: 0 if nudged works, as doctor says, or if you answer no; 64 if an answer is missing; 69 if the \
            database or Apple can't be reached; 74 if a file can't be written; 75 if another setup runs; 77 if a right \
            is missing; 78 if an answer or the configuration is wrong.
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
    @Option(help: ArgumentHelp("simulated, or the --folder of nudged-apple: in place of Apple.", valueName: "folder"))
    var apple: String?
    @Flag(help: "Only show the plan, also that of --undo.") var dryRun = false
    @Flag(help: "Ask nothing.") var yes = false
    @Flag(help: "Take it back: stop the service, drop nudged's schemas and roles, remove the files.") var undo = false

    private var path: String { config.path ?? ConfigurationLoader.defaultPath }
    private var files: SetUpFiles { SetUpFiles(configuration: path) }

    func run() async throws {
        let environment = ProcessEnvironment.current()
        let status = try await Output.reporting {
            try files.check()
            let run = try SetUpRun(try answers(environment), path: path, environment: environment)
            return undo ? try await takeBack(run) : try await setUp(run)
        }
        guard status == .success else { throw ExitCode(status.rawValue) }
    }

    private func setUp(_ run: SetUpRun) async throws -> ExitStatus {
        let plan = try await run.plan()
        for line in plan.found + [""] + plan.steps { Output.line(line.printable) }
        guard plan.status == .success, !dryRun else { return plan.status }
        Output.line("")
        guard try isAgreed("Do this?") else { return .success }
        let report = try await run.carryOut(plan) { Output.line($0.printable) }
        Output.line("\nnudged doctor says:")
        Output.line(report.troubles(on: Screen(width: Terminal.width(STDOUT_FILENO), hasBlocks: Terminal.hasBlocks)))
        if report.status == .success {
            let file = config.path.map { " --config \($0)" } ?? ""
            Output.line("next, with the device token of your phone:")
            Output.line("  export CREDENTIALS_DIRECTORY=\(files.credentials)".printable)
            Output.line("  nudged send-test\(file) --token TOKEN --force".printable)
        } else {
            Output.line("everything is set up: correct this, then run nudged doctor")
        }
        return report.status
    }

    private func takeBack(_ run: SetUpRun) async throws -> ExitStatus {
        for line in run.undoing { Output.line(line.printable) }
        guard !dryRun, try isAgreed("Take it back?") else { return .success }
        try await run.undo { Output.line($0.printable) }
        Output.line("nudged is removed; its package and the app's tables stay. next: apt purge nudged")
        return .success
    }

    // MARK: Asking

    /// What is given, else what the files have, else what is typed.
    private func answers(_ environment: [String: String]) throws -> SetUpAnswers {
        var missing: [String] = []
        func ask(_ given: String?, _ option: String, _ question: String, isSecret: Bool = false) throws -> String {
            if let given, !given.isEmpty { return given }
            let answer = yes ? nil : try Prompt.ask(question, isSecret: isSecret)
            if answer?.isEmpty ?? true { missing.append(option) }
            return answer ?? ""
        }
        var answers = SetUpAnswers()
        let url = "URL of the database, such as postgresql://OWNER:PASSWORD@HOST/DATABASE (typing is not shown):"
        answers.database = try ask(environment["DATABASE_URL"], "DATABASE_URL (a variable)", url, isSecret: true)
        if !undo {
            let known = try ConfigurationFile.values(of: path)
            try answers.chooseApple(apple, hasNewKey: key != nil, known)
            let present = files.key
            // A run that was interrupted may have left a key without the configuration that has its id.
            let file = access(present, R_OK) == 0 && known["apns.keyId"] != nil ? present : answers.keyFile
            answers.keyFile = try ask(key ?? file, "--key", "Path of Apple's key, AuthKey_….p8:")
            if !missing.contains("--key") {
                let id = SetUpAnswers.keyID(ofFile: answers.keyFile) ?? (key == nil ? known["apns.keyId"] : nil)
                answers.keyID = try ask(keyId ?? id, "--key-id", "The key's id, which the file's name does not say:")
            }
            answers.team = try ask(team ?? known["apns.teamId"], "--team", "The team's id (10 characters):")
            answers.bundleID = try ask(bundle ?? known["apns.bundleId"], "--bundle", "The app's bundle id:")
            // The text is in the database, so it is asked for only once.
            if title != nil || body != nil || known["apns.teamId"] == nil {
                answers.title = try ask(title, "--title", "Title of check-ins, the pushes that come daily or weekly:")
                answers.body = try ask(body, "--body", "Body of check-ins:")
            }
        }
        guard missing.isEmpty else {
            Output.error("give these: \(missing.joined(separator: ", "))")
            throw ExitCode(ExitStatus.usage.rawValue)
        }
        return answers
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

private enum Prompt {
    /// Nil: there is no terminal, or its input has ended.
    static func ask(_ question: String, isSecret: Bool = false) throws -> String? {
        guard isatty(STDIN_FILENO) == 1 else { return nil }
        let read = {
            _ = writeAll(Array("\(question) ".utf8), to: STDERR_FILENO)
            return readLine()
        }
        let line = isSecret ? unseen(read) : read()
        return line.map { String($0.trimmingPrefix { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
    }

    /// Asks without echo, which is off before the question is there. A signal that ends the command turns it on first.
    private static func unseen(_ read: () -> String?) -> String? {
        var modes = termios()
        guard tcgetattr(STDIN_FILENO, &modes) == 0 else { return read() }
        let restore: @Sendable () -> Void = { [shown = modes] in
            withUnsafePointer(to: shown) { _ = tcsetattr(STDIN_FILENO, TCSAFLUSH, $0) }
            _ = writeAll([UInt8(ascii: "\n")], to: STDERR_FILENO)
        }
        let ending = [SIGINT, SIGTERM, SIGHUP]
        let end: @Sendable () -> Void = {
            restore()
            _exit(ExitStatus.interrupted.rawValue)
        }
        let signals = SignalSource(Dictionary(uniqueKeysWithValues: ending.map { ($0, end) }))
        modes.c_lflag &= ~tcflag_t(ECHO)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &modes)
        defer {
            restore()
            withExtendedLifetime(signals) {}
            for number in ending { signal(number, SIG_DFL) }
        }
        return read()
    }
}
