import Configuration
import Operator
import Service
import ArgumentParser

struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the daemons, their last sweeps and lanes, and what is due.",
        discussion: """
            It only reads the database.

            Exit status: 0 if a daemon is alive and no lane is stopped, 69 if no daemon is alive or the database can't \
            be reached, 75 if a lane is stopped, 77 if a right is missing, 78 if the configuration or the schema is \
            wrong.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let page: StatusPage
        do {
            page = try await StatusRun(loaded.configuration).run()
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(json ? page.json : page.words) else { throw Output.failure("the page can't be written") }
        if page.status != .success { throw ExitCode(page.status.rawValue) }
    }
}
