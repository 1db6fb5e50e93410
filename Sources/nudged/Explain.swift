import Configuration
import Operator
import Service
import ArgumentParser
import FoundationEssentials
import Glibc
import Systemd

struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says why a user is nudged or not: the next decision, rule by rule.",
        discussion: """
            It reads the user's data and runs the policy as the next sweep would, and writes nothing. It also shows \
            the user's record. Devices are shown by their hashes.

            For a future instant it shows the decision with today's data. For a past instant it shows the record of \
            that time.

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
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        if UUID(uuidString: user) == nil { throw ValidationError("'\(user)' is not a UUID") }
        if let at, InstantText.parse(at) == nil {
            throw ValidationError("--at must be an instant such as 2026-11-21T12:00:00Z or 2026-11-21T13:00:00+01:00")
        }
    }

    func run() async throws {
        let loaded = try config.load()
        guard let id = UUID(uuidString: user) else { return }
        let explanation: Explanation?
        do {
            explanation = try await ExplainRun(loaded.configuration).run(id, at: at.flatMap(InstantText.parse))
        } catch {
            Output.error("\(error)")
            throw ExitCode(OneRun.status(of: error).rawValue)
        }
        guard let explanation else {
            Output.error("nothing is known of user \(id.uuidString.lowercased()): no profile, no device, no record")
            throw ExitCode(ExitStatus.noUser.rawValue)
        }
        let text = json ? explanation.json : explanation.words(width: Terminal.width(STDOUT_FILENO))
        guard Output.line(text) else { throw Output.failure("the explanation can't be written") }
    }
}
