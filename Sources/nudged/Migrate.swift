import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

/// `nudged migrate`.
struct Migrate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Applies pending migrations: adds the schema nudged, two roles, two columns and five triggers; changes nothing else."
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "Only say what would be applied.") var dryRun = false

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
