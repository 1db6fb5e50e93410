import Configuration
import Operator
import Service
import ArgumentParser

/// `nudged resume`.
struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends a pause: a kind, or all, is sent again, and whoever was held meanwhile is asked anew.",
        discussion: """
            Sending goes on at once. Those who were held are made due page by page, \(ReplanRun.usersASecond) a second, so that it is no burst; a check-in \
            whose slot is still fresh goes out, an older one does not. Interrupted, it is simply run again.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var kind: KindArgument
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let report: ResumeReport
        do {
            let command = try ResumeRun(loaded.configuration)
            report = try await Terminal.progress("resuming") { try await command.run(kind.kind, onProgress: $0) }
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
