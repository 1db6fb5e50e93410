import Base
import ArgumentParser
import Glibc
import Policy
import Systemd
import TimeZones

struct Decide: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Runs the policy alone: JSON lines in, JSON lines out, no database.",
        discussion: """
            docs/POLICY.md has the fields. A line with an error is answered {"id": …, "error": "…"}. Then the next \
            line is read.
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
            return Output.write(answers, to: STDOUT_FILENO)
        }
    }
}
