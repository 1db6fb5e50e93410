import Configuration
import Operator
import Service
import ArgumentParser

struct Replan: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Evaluates all users again, so that changed rules count at once.",
        discussion: """
            Without it, changed rules or time zones count within a day. Run it after a reload. It makes users due in \
            the order of their ids, \(ReplanRun.usersASecond) a second, or over the time that --over gives. It also \
            adds users that are in the app's tables and that nudged has not seen. If it is interrupted, run it again.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: ArgumentHelp("The time to take: 90s, 5m, 2h; 0s: as fast as possible.", valueName: "duration"))
    var over: String?
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        guard let over, ReplanRun.duration(over) == nil else { return }
        throw ValidationError("--over must be a duration such as 90s, 5m or 2h")
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
        guard Output.line(json ? report.json : report.text, isJSON: json) else {
            throw Output.failure("the report can't be written")
        }
        if report.status != .success { throw ExitCode(report.status.rawValue) }
    }
}
