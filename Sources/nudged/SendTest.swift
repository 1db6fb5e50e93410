import Configuration
import Operator
import Service
import ArgumentParser
import FoundationEssentials

struct SendTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send-test",
        abstract: "Sends one test push, and says what Apple's answer means.",
        discussion: """
            It uses the configured lane and changes nothing in the database: no record, no deleted token. It sends in \
            production only with --force. Devices are shown by their hashes.

            Exit status: 65 if Apple refuses the token, 67 if the user has no device, 69 if Apple can't be reached, 75 \
            if Apple asks to try later, 77 in production without --force, 78 if Apple refuses key or topic.
            """
    )

    @OptionGroup var config: ConfigurationOption
    @Option(help: ArgumentHelp("A device token of the main app.", valueName: "hex")) var token: String?
    @Option(help: ArgumentHelp("All devices of this user.", valueName: "uuid")) var user: String?
    @Option(help: "The title, instead of nudged's text.") var title: String?
    @Option(help: "The text, instead of nudged's.") var body: String?
    @Flag(help: "Send in production too.") var force = false
    @Flag(help: "As one JSON object.") var json = false

    func validate() throws {
        _ = try target()
        let given = [title, body].compactMap { $0 }
        if !given.isEmpty, given.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
            throw ValidationError("give --title or --body a text: phones do not show a push without one")
        }
        // Apple takes 4,096 bytes. In JSON a character may take more than in the text.
        guard given.map(\.utf8.count).reduce(0, +) <= 2_000 else {
            throw ValidationError("--title and --body have more than 2000 bytes together")
        }
    }

    private func target() throws -> SendTestRun.Target {
        switch (token, user) {
        case (let token?, nil): return .token(token)
        case (nil, let user?):
            guard let id = UUID(uuidString: user) else { throw ValidationError("'\(user)' is not a UUID") }
            return .user(id)
        default: throw ValidationError("give either --token or --user")
        }
    }

    func run() async throws {
        let loaded = try config.load(needs: token == nil ? .all : .apns)
        let report: SendTestReport
        do {
            report = try await SendTestRun(loaded.configuration, title: title, body: body, isForced: force)
                .run(try target())
        } catch let error as SendTestError {
            Output.error("\(error)")
            throw ExitCode(error.exitStatus.rawValue)
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
