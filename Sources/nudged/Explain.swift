import Configuration
import Operator
import Service
import ArgumentParser
import FoundationEssentials
import Glibc
import Systemd
import TimeZones

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says what a user gets next, or what stands in the way, and why.",
        discussion: """
            The first line says what comes next and when, in the user's local time. Or it says what is in the \
            way: a rule, a lane, a pause, no daemon. Below are the decision rule by rule, the user's data and the \
            record. It runs the policy as the next sweep would, and writes nothing. Devices are shown by their hashes.

            It simulates a future instant: it assumes that every push until then is accepted and that nothing of the \
            user changes. It lists what is sent before. For a past instant it shows the record of that time.

            With --message or --body it says what would become of such a message if it were sent now: whether, why, to \
            how many devices and with which text. If the user consents, it asks the decision service. Nothing is \
            sent, written or counted.

            Exit status: 67 (EX_NOUSER) if nothing is known of the user.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Argument(help: "The user's id, a UUID.") var user: String
    @Option(
        help: ArgumentHelp(
            "The instant to explain: 2026-11-21T12:00:00Z, or with an offset such as +01:00. (default: now)",
            valueName: "instant"
        )
    )
    var at: String?
    @Option(help: ArgumentHelp("The title of a message to try.", valueName: "title")) var message: String?
    @Option(help: ArgumentHelp("The text of a message to try.", valueName: "text")) var body: String?
    @Flag(help: "The message to try is urgent.") var urgent = false
    @Flag(help: "As one JSON object.") var json = false

    /// Whether it is about a message to try.
    private var isPreview: Bool { message != nil || body != nil }

    func validate() throws {
        if UUID(uuidString: user) == nil { throw ValidationError("'\(user)' is not a UUID") }
        if isPreview {
            if at != nil { throw ValidationError("--at does not work with --message or --body") }
            if [message, body].allSatisfy({ $0?.allSatisfy(\.isWhitespace) ?? true }) {
                throw ValidationError("give --message or --body a text: phones do not show a push without one")
            }
        } else if urgent {
            throw ValidationError("--urgent belongs to --message or --body")
        }
        guard let at else { return }
        guard let instant = InstantText.parse(at) else {
            throw ValidationError("--at must be an instant such as 2026-11-21T12:00:00Z or 2026-11-21T13:00:00+01:00")
        }
        // Only a bound, so the host's clock is good enough.
        if instant.seconds - Int64(time(nil)) > ExplainRun.mostDaysAhead * 86_400 {
            throw ValidationError("--at can be at most \(ExplainRun.mostDaysAhead) days ahead")
        }
    }

    func run() async throws {
        let loaded = try config.load()
        guard let id = UUID(uuidString: user) else { return }
        if isPreview { return try await preview(id, loaded.configuration) }
        let explanation: Explanation?
        do {
            explanation = try await ExplainRun(loaded.configuration).run(id, at: at.flatMap(InstantText.parse))
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard let explanation else {
            Output.error(
                "unknown: neither nudged.recipient nor nudged.device has user \(id.uuidString.lowercased()), and the "
                    + "record has nothing of them: check the id"
            )
            throw ExitCode(ExitStatus.noUser.rawValue)
        }
        let text = json ? explanation.json : explanation.text(width: Terminal.width(STDOUT_FILENO))
        guard Output.line(text, isJSON: json) else { throw Output.failure("the explanation can't be written") }
    }

    private func preview(_ id: UUID, _ configuration: Configuration) async throws {
        let report: PreviewReport
        do {
            report = try await PreviewRun(configuration)
                .run(id, title: message ?? "", body: body ?? "", urgent: urgent)
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard Output.line(json ? report.json : report.text, isJSON: json) else {
            throw Output.failure("the preview can't be written")
        }
    }
}
