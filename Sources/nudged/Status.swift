import Configuration
import Operator
import Service
import ArgumentParser

/// `nudged status`.
struct Status: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Who is alive, what the last sweeps did, what is due: read from the database, changing nothing.",
        discussion: """
            Exit status: 0 where a daemon is alive and none of its lanes is stopped, 69 where no daemon is alive (or the database \
            can't be reached), 75 where a lane is stopped, 77 where a right is missing, 78 where the configuration or the schema is wrong.
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
