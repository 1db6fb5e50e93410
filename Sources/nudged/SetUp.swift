import ArgumentParser
import Base
import Configuration
import Core
import Glibc
import Operator
import Service
import Systemd

struct Config: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the values in force with their sources, or lists all keys.",
        discussion: """
            Without an option it shows the values. Secrets are hidden; of the database's URL you see user, host, port, \
            database and sslmode. --reference needs no configuration: it lists every key with its values, default and \
            variable.

            --addresses prints a drop-in of systemd for nudged.service. With it, the daemon reaches only what the \
            configuration names: PostgreSQL, Apple, the decision service, the heartbeat's service, and the name \
            servers. Names are looked up now; write it again if an address changes. It also allows the port of \
            metrics.listen. Exit status: 69 if a name has no address.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Show the values in force. This is the default.") var show = false
    @Flag(help: "List all keys, as Markdown.") var reference = false
    @Flag(help: "Print the addresses that the daemon may reach, as a drop-in of systemd.") var addresses = false
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        if [show, reference, addresses].count(where: \.self) > 1 {
            throw ValidationError("give one of --show, --reference and --addresses")
        }
        if addresses && json { throw ValidationError("--addresses has no --json") }
    }

    func run() async throws {
        guard Output.line(try await text(), isJSON: json) else {
            throw Output.failure(addresses ? "the drop-in" : "the configuration")
        }
    }

    private func text() async throws -> String {
        if reference { return json ? ConfigurationReference.json : ConfigurationReference.page }
        let loaded = try config.load()
        if addresses { return try await Output.reporting { try UnitAddresses(loaded).dropIn() } }
        return json ? loaded.json : loaded.table
    }
}

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks the configuration and its key files, without a network.",
        discussion: """
            Each fault has file, line, column, key and fix. nudged doctor checks what needs a network: whether the \
            database and Apple accept the configuration.

            Exit status: 0 if the configuration can be used, 78 if it can't, 77 if only rights are wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption

    func run() throws {
        // As the unit's ExecStartPre: an error that stops the service must be an error in the journal.
        let output = LogOutput(environment: ProcessEnvironment.current())
        let loaded = try config.load(output: output)
        guard output.isJournal || Output.line(loaded.verdict) else { throw Output.failure("the report") }
    }
}

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applies pending migrations to the database.",
        discussion: """
            It first reads the catalog. If anything is in the way, it lists all of it and changes nothing: tables, \
            columns, types, owners and rights. If not, it says what it will create and which triggers it adds, \
            applies the migrations, and names the next step.

            The first run adds the schemas nudged, nudged_api and nudged_me, and three roles. It makes the app's \
            tables, or adds triggers and missing columns to them. It changes nothing else.

            If a table of the app was replaced by another one of its name, or a trigger was disabled or dropped, a run \
            binds nudged's views and triggers again. Then run nudged replan.

            Each run also takes back rights that a broad grant gave on nudged's schemas and tables, for example a \
            grant on all tables to anon. nudged doctor and --dry-run list them.

            --sql prints all migrations as one SQL script for your own migration tool. It has no BEGIN and no COMMIT. \
            nudged migrate later finds these migrations applied.

            Exit status: 0 if the migrations are applied or can be (--dry-run); 78 if a table, a column or a type is \
            in the way, the database is unfit, or a view of the app's own reads a table that was replaced; 77 if only \
            rights are missing; 69 if the database can't be reached; 70 if it refuses a statement for another reason.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Only list what is in the way, and what would be done.") var dryRun = false
    @Flag(help: "Print all of the SQL. Needs no database and no configuration.") var sql = false
    @Option(help: ArgumentHelp("With --sql: only the migrations after this one.", valueName: "number"))
    var after: Int32?
    @Flag(help: "Make the app's tables, even in a database that has other tables.") var createTables = false
    @Flag(help: "Let check-ins use the six built-in templates, in English.") var withTemplates = false

    func validate() throws {
        if sql, dryRun || createTables { throw ValidationError("--sql needs neither --dry-run nor --create-tables") }
        if after != nil, !sql { throw ValidationError("--after goes with --sql only") }
    }

    func run() async throws {
        if sql { return try Output.write(Migration.script(after: after ?? 0, usesTemplates: withTemplates), "the SQL") }
        let configuration = try config.load(needs: .database).configuration
        let status = try await Output.reporting {
            let run = try MigrationRun(configuration, createsTables: createTables, usesTemplates: withTemplates)
            let survey = try await run.survey(isDryRun: dryRun)
            for line in survey.lines { Output.line(line.printable) }
            if survey.status == .success, !dryRun {
                let lines = try await run.apply(survey) { Output.error($0.printable) }
                for line in lines { Output.line(line.printable) }
            }
            return survey.status
        }
        guard status == .success else { throw ExitCode(status.rawValue) }
    }
}

struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Checks all that sending needs, and names the fix of each fault.",
        discussion: """
            It changes nothing. It checks the configuration and the files of its secrets, the time-zone files, the \
            service, the database, Apple and the decision service. For each app it sends Apple one push to a token \
            that no device has, in production too. The decision service gets one request, which names no user. Each \
            part has a time limit, and a part that fails hides no other.

            Run it as the daemon runs: with its configuration and its database.url. Each line is ok, warning or error; \
            the fix is below it. A dash marks what was not checked.

            Exit status: 0 if there is no error; warnings don't count. Otherwise the first that applies: 78 if the \
            configuration or the schema is wrong, or Apple refuses the configuration; 77 if a right is missing or \
            others can read a secret; 69 if something can't be reached.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As a JSON array with one object for each line.") var json = false

    func run() async throws {
        let report = await DoctorReport.examine(path: config.path, environment: ProcessEnvironment.current())
        try Output.answer(report, isJSON: json, "the report")
    }
}

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
        let report = try await run.apply(plan) { Output.line($0.printable) }
        Output.line("\nnudged doctor says:")
        Output.line(report.troubles(on: Terminal.screen))
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
        guard missing.isEmpty else { throw CommandFailure("give these: \(missing.joined(separator: ", "))", .usage) }
        return answers
    }

    private func isAgreed(_ question: String) throws -> Bool {
        if yes { return true }
        guard let answer = try Prompt.ask("\(question) [y/N]") else {
            throw CommandFailure("there is no terminal to ask: give --yes to do this", .usage)
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
