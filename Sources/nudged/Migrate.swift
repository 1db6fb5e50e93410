import Base
import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applies pending migrations to the database.",
        discussion: """
            It first reads the catalog. If anything is in the way, it lists all of it and changes nothing: tables, \
            columns, types, owners and rights. If not, it says what it will create and which triggers it adds, \
            applies the migrations, and names the next step.

            The first run adds the schemas nudged and nudged_api, and three roles. It makes the app's tables, or adds \
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
            let script = MigrationRun.script(after: after ?? 0, usesTemplates: withTemplates)
            guard Output.write(Array(script.utf8), to: 1) else { throw Output.failure("the SQL can't be written") }
            return
        }
        let loaded = try config.load(needs: .database)
        let status: ExitStatus
        do {
            let run = try MigrationRun(
                loaded.configuration,
                createsTables: createTables,
                usesTemplates: withTemplates
            )
            let survey = try await run.survey(isDryRun: dryRun)
            for line in survey.lines { Output.line(line.printable) }
            status = survey.status
            if status == .success, !dryRun {
                for line in try await run.apply(survey, onHeld: { Output.error($0.printable) }) {
                    Output.line(line.printable)
                }
            }
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard status == .success else { throw ExitCode(status.rawValue) }
    }
}
