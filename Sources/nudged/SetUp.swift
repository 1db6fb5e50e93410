import ArgumentParser
import Configuration
import Core
import Glibc
import Logging
import Operator
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
        let text: String
        if reference {
            text = json ? ConfigurationReference.json : ConfigurationReference.page
        } else {
            let loaded = try config.load()
            if addresses {
                text = try await Output.reporting { try UnitAddresses(loaded).dropIn() }
            } else {
                text = json ? ConfigurationReport.json(loaded) : ConfigurationReport.show(loaded)
            }
        }
        guard Output.line(text, isJSON: json) else {
            throw Output.failure(addresses ? "the drop-in" : "the configuration")
        }
    }
}

struct CheckConfig: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check-config",
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
        let journal =
            output.isJournal ? Logger(label: "nudged") { JournalLogHandler(label: $0, output: output) } : nil
        let loaded = try config.load(log: journal)
        guard journal != nil || Output.line(ConfigurationReport.check(loaded)) else {
            throw Output.failure("the report")
        }
    }
}

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applies pending migrations to the database.",
        discussion: """
            It first reads the catalog. If anything is in the way, it lists all of it and changes nothing: tables, \
            columns, types, owners and rights. If not, it says what it will create and which triggers it adds, \
            applies the migrations, and names the next step.

            The first run adds the schemas nudged, nudged_api and nudged_me, and three roles. It makes the app's tables, or adds \
            triggers and missing columns to them. It changes nothing else.

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
        if sql {
            let script = Migration.script(after: after ?? 0, usesTemplates: withTemplates)
            return try Output.write(Array(script.utf8), "the SQL")
        }
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
