import Configuration
import Operator
import Service
import ArgumentParser

/// `nudged replan`.
struct Replan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Everyone is asked anew: changed rules or zone files count at once instead of within a day.",
        discussion: """
            Run it after a reload. Users are made due in the order of their ids, page by page, \(ReplanRun.usersASecond) a second unless --over says how long \
            it is to take. Interrupted, it says how many; twice does no harm.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: ArgumentHelp("How long it is to take: 90s, 5m, 2h; 0s is as fast as it goes.", valueName: "duration"))
    var over: String?
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        guard let over, ReplanRun.duration(over) == nil else { return }
        throw ValidationError("--over is a duration such as 90s, 5m, 2h")
    }

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let report: ReplanReport
        do {
            let command = try ReplanRun(loaded.configuration)
            let duration = over.flatMap(ReplanRun.duration)
            report = try await Terminal.progress("replanning") { try await command.run(over: duration, onProgress: $0) }
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(json ? report.json : report.words) else {
            throw Output.failure("the report can't be written")
        }
        if report.status != .success { throw ExitCode(report.status.rawValue) }
    }
}
