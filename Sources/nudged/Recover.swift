import Configuration
import Operator
import Service
import ArgumentParser

/// `nudged recover`.
struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "After a restore from backup: nothing older than now is sent.",
        discussion: """
            What was sent after the backup was made is in no record any more. So slots that have come are not sent, what was being \
            sent counts as unknown, and everyone is asked again. Stop the daemons before the restore and start them after this; where \
            they run, it works as well, but what they sent in between is sent. Twice does no harm.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "What was done as one JSON object.") var json = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let report: RecoverReport
        do {
            report = try await RecoverRun(loaded.configuration).run()
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(json ? report.json : report.words) else {
            throw Output.failure("the report can't be written")
        }
    }
}
