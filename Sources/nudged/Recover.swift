import Configuration
import Operator
import Service
import ArgumentParser

struct Recover: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "After a restore from a backup: nothing that is older than now is sent.",
        discussion: """
            A backup has no record of what was sent after it was made. So nudged recover closes the check-in slots \
            that have come, drops the messages that wait and the reminders whose hour has come, and records the pushes \
            that were in flight as unknown. All users are evaluated again.

            Stop the daemons before the restore, and start them after this command. It also works while they run, but \
            until then they may send nudges a second time. You can run it again.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Flag(help: "As one JSON object.") var json = false

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
