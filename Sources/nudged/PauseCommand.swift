import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Pauses a kind of nudge, or all: nothing of it is sent until nudged resume.",
        discussion: """
            The pause is in the database, and every daemon sees it within a second. A push whose intent is \
            committed after the pause is not written. Check-in slots that pass meanwhile are recorded as skipped. \
            Messages and reminders wait until they expire.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var kind: KindArgument
    @Option(help: "Why you pause. nudged status shows it.") var reason: String?
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let report: PauseReport
        do {
            report = try await PauseRun(loaded.configuration, environment: ProcessEnvironment.current()).run(
                kind.kind,
                reason: reason
            )
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(json ? report.json : report.text, isJSON: json) else {
            throw Output.failure("the report can't be written")
        }
    }
}
