import Configuration
import Operator
import Service
import ArgumentParser
import FoundationEssentials
import Glibc
import Systemd

/// `nudged explain`.
struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Why a user is or is not nudged: the decision of the next sweep, rule by rule, with their record.",
        discussion: """
            Reads what a sweep would claim and asks the same planner; nothing is written. Devices are shown by their hashes. For a future \
            instant it is the decision with what is known today, for a past one the record of that time. Exit status 67 (EX_NOUSER) where there is nothing of that user.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Argument(help: "The user's id, a UUID.") var user: String
    @Option(help: ArgumentHelp("2026-11-21T12:00:00Z, or with an offset such as +01:00.", valueName: "instant"))
    var at: String?
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        if UUID(uuidString: user) == nil { throw ValidationError("'\(user)' is no UUID") }
        if let at, InstantText.parse(at) == nil {
            throw ValidationError("--at is an instant such as 2026-11-21T12:00:00Z or 2026-11-21T13:00:00+01:00")
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
            Output.error("there is nothing of user \(id.uuidString.lowercased()): no profile, no device, no record")
            throw ExitCode(ExitStatus.noUser.rawValue)
        }
        let text = json ? explanation.json : explanation.words(width: Terminal.width(STDOUT_FILENO))
        guard Output.line(text) else { throw Output.failure("the explanation can't be written") }
    }
}
