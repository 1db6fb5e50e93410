import ArgumentParser
import Glibc
import Policy
import TimeZones

/// `nudged decide`.
struct Decide: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "The pure policy: JSON lines in, JSON lines out; no database. docs/POLICY.md has the fields.",
        discussion: "A line in error is answered {\"id\": …, \"error\": \"…\"}, and the next line goes on."
    )

    func run() throws {
        let decide = DecideLine(zones: ZoneDatabase())
        // As bytes: a line that is no UTF-8 is that line's error.
        try Input.forEachLines { lines in
            var answers: [UInt8] = []
            for line in lines {
                answers += decide.answer(line)
                answers.append(UInt8(ascii: "\n"))
            }
            return Output.write(answers, to: STDOUT_FILENO)
        }
    }
}
