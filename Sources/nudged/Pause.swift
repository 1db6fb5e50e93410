import Configuration
import Operator
import Service
import ArgumentParser
import Systemd

/// `nudged pause`.
struct Pause: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The kill switch: nothing of a kind, or of any, is sent until nudged resume.",
        discussion: """
            In the database, so every daemon sees it: within a second, and none writes a push whose intent was committed after it. Nothing \
            is rewritten. Check-in slots that go by meanwhile are recorded as skipped; messages and reminders wait until they expire.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @OptionGroup var kind: KindArgument
    @Option(name: .customLong("words"), help: "Why, for whoever asks nudged status.") var words: String?
    @Flag(help: "As one JSON object.") var json = false

    func run() async throws {
        let loaded = try config.load(needs: .database)
        let report: PauseReport
        do {
            report = try await PauseRun(loaded.configuration, environment: ProcessEnvironment.current()).run(
                kind.kind,
                words: words
            )
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(json ? report.json : report.words) else {
            throw Output.failure("the report can't be written")
        }
    }
}
