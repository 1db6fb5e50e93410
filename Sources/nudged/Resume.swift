import Configuration
import Operator
import Service
import ArgumentParser

struct Resume: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Ends a pause of a kind, or of all. Users who were held are evaluated again.",
        discussion: """
            Sending continues at once. Users who were evaluated during the pause are made due, \
            \(ReplanRun.usersASecond) a second, so that there is no burst. A check-in is sent if its slot is still \
            fresh. If the command is interrupted, run it again.
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
        guard Output.line(json ? report.json : report.text, isJSON: json) else {
            throw Output.failure("the report can't be written")
        }
        if report.status != .success { throw ExitCode(report.status.rawValue) }
    }
}
