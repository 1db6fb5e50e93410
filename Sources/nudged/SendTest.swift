import Configuration
import Operator
import Service
import ArgumentParser
import FoundationEssentials

/// `nudged send-test`.
struct SendTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test",
        abstract:
            "One test push, with Apple's answer and what it means. Refused where the environment is production, unless forced.",
        discussion: """
            Goes over the configured lane and leaves no trace in the database: no record, no deleted token. Devices are shown by their hashes. Exit status: \
            65 where Apple refuses the token, 67 where the user has no device, 69 where Apple can't be reached, 75 where it asks to come back, 77 where \
            it is production, 78 where it refuses key or topic.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: ArgumentHelp("A device token, to the main app.", valueName: "hex")) var token: String?
    @Option(help: ArgumentHelp("Each device of this user.", valueName: "uuid")) var user: String?
    @Flag(help: "Production, too.") var force = false
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws { _ = try target() }

    private func target() throws -> SendTestRun.Target {
        switch (token, user) {
        case (let token?, nil): return .token(token)
        case (nil, let user?):
            guard let id = UUID(uuidString: user) else { throw ValidationError("'\(user)' is no UUID") }
            return .user(id)
        default: throw ValidationError("give either --token or --user")
        }
    }

    func run() async throws {
        let loaded = try config.load(needs: token == nil ? .all : .apns)
        let report: SendTestReport
        do {
            report = try await SendTestRun(loaded.configuration, isForced: force).run(try target())
        } catch let error as SendTestError {
            Output.error("\(error)")
            throw ExitCode(error.exitStatus.rawValue)
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
