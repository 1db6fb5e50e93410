import Base
import ArgumentParser
import FoundationEssentials
import Glibc
import Operator
import Policy
import TimeZones

struct SendTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
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
        try await config.answer(isJSON: json, needs: token == nil ? .all : .apns) {
            try await SendTestRun($0, title: title, body: body, isForced: force).run(target())
        }
    }
}

struct Decide: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the policy alone: JSON lines in, JSON lines out, no database.",
        discussion: """
            docs/POLICY-SPEC.md has the fields. A line with an error is answered {"id": …, "error": "…"}. Then the \
            next line is read.
            """
    )

    func run() throws {
        let decide = DecideLine(zones: ZoneDatabase())
        let isShown = isatty(STDOUT_FILENO) == 1
        // As bytes: a line that is no UTF-8 is an error of that line only.
        try Input.forEachLines { lines in
            var answers: [UInt8] = []
            for line in lines {
                answers += decide.answer(line)
                answers.append(UInt8(ascii: "\n"))
            }
            // An answer repeats the id that it was given.
            if isShown { answers = Array(String(decoding: answers, as: UTF8.self).printableJSON.utf8) }
            return writeAll(answers, to: STDOUT_FILENO)
        }
    }
}

enum Input {
    private static let chunk = 65_536

    /// Calls `body` with all complete lines that have arrived. It returns false if the answers can't be written.
    static func forEachLines(_ body: ([ArraySlice<UInt8>]) -> Bool) throws {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: chunk)
        while true {
            let count = read(STDIN_FILENO, &buffer, chunk)
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw Output.failure("the input", "read") }
            let newline = UInt8(ascii: "\n")
            // Only new bytes are searched: a line of 100 MB arrives in more than a thousand pieces.
            pending += buffer[..<count]
            if count > 0 && !buffer[..<count].contains(newline) { continue }
            var lines = pending.split(separator: newline, omittingEmptySubsequences: false)
            // Bytes after the last newline are no complete line, except at the end of the input.
            let rest = lines.removeLast()
            if count == 0, !rest.isEmpty { lines.append(rest) }
            if !lines.isEmpty, !body(lines) { throw Output.failure("the answers") }
            if count == 0 { return }
            pending = Array(rest)
        }
    }
}
