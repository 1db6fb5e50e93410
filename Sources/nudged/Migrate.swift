import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Applies pending migrations to the database.",
        discussion: """
            The first run adds the schema nudged and two roles. It adds triggers and the columns that nudged needs to \
            the app's tables, or makes these tables. It changes nothing else.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Only print what would be applied.") var dryRun = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        do {
            let run = try MigrationRun(loaded.configuration)
            for line in try await run.run(dryRun: dryRun, onHeld: { Output.error($0) }) { Output.line(line) }
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
    }
}
