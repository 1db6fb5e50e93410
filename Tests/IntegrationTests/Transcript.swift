import Glibc
import LocalPostgres
import TestSupport
import Testing

/// What commands say, compared with a file in `Transcripts`. What differs from run to run is masked.
final class Transcript {
    private let scene: Scene
    private let name: String
    private var text = ""
    /// Texts of this run, such as the database's name, with their masks.
    private var own: [(String, String)]

    private static let again = "if that is wanted: NUDGED_TRANSCRIPTS=write swift test --filter ScenesTests"

    /// Whether spans of time differ from run to run.
    private let masksSpans: Bool

    init(_ scene: Scene, _ name: String, masksSpans: Bool = false) {
        self.scene = scene
        self.masksSpans = masksSpans
        self.name = name
        var host = [CChar](repeating: 0, count: 256)
        gethostname(&host, host.count)
        let hostName = String(decoding: host.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        own = [(scene.folder, "<folder>"), (hostName, "<host>"), ("database \(scene.database)", "database <name>")]
    }

    func note(_ title: String) { text += "-- \(title)\n\n" }

    /// Doctor's findings that don't depend on this machine, and its page.
    func doctor(_ changes: [String: String?]) async throws {
        let own = ["database", "apple", "decision"]
        let run = try await scene.nudged(["doctor", "--json"], changes)
        let lines = run.output.dropFirst(1).dropLast(2).replacing("},{\"id\"", with: "}\n{\"id\"")
        let findings = lines.split(separator: "\n")
        text += "$ nudged doctor --json\n"
        for finding in findings where own.contains(where: { finding.hasPrefix("{\"id\":\"\($0).") }) {
            text += finding + "\n"
        }
        let page = try await scene.nudged(["doctor"], changes)
        let parts = page.output.split(separator: "\n\n").filter { part in
            ["database", "Apple", "decision service"].contains { part.hasPrefix($0) }
        }
        text += "\n$ nudged doctor\n\(parts.joined(separator: "\n\n"))\n\n"
    }

    /// Runs a command in a terminal of 400 columns, so that no line is wrapped.
    func run(_ command: String, _ changes: [String: String?]) async throws {
        let errors = "\(scene.folder)/errors"
        let line = "stty cols 400 -opost; exec '\(Scene.binary)' \(command) 2>'\(errors)'"
        let own = ["NO_COLOR": "1", "LANG": "C.UTF-8", "SUDO_USER": "anna"]
        let environment = scene.environment(changes.merging(own) { own, _ in own })
        let process = try ChildProcess(keeping: ["script", "-qec", line, "/dev/null"], environment)
        let run = try await scene.finish(process)
        guard case .code(let code)? = run.exit else { return fail("\(command): \(run.text)") }
        let said = try ChildProcess.run(["cat", errors])
        text += "$ nudged \(command)\n\(broken(run.output))"
        text += said.isEmpty ? "" : "stderr: \(said)"
        text += "exit \(code)\n\n"
    }

    /// A JSON document with a member on each line, so that a difference can be seen.
    private func broken(_ text: String) -> String {
        text.hasPrefix("{") || text.hasPrefix("[") ? text.replacing(",\"", with: ",\n\"") : text
    }

    // MARK: The file

    private static let folder = #filePath.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/Transcripts"

    func check() throws {
        let path = "\(Self.folder)/\(name).txt"
        let masked = mask(text)
        if getenv("NUDGED_TRANSCRIPTS").map({ String(cString: $0) }) == "write" {
            return try TextFile.write(path, masked)
        }
        let wanted = try ChildProcess.run(["cat", path]).split(separator: "\n", omittingEmptySubsequences: false)
        let found = masked.split(separator: "\n", omittingEmptySubsequences: false)
        var command = ""
        for (place, line) in found.enumerated() {
            if line.hasPrefix("$ ") { command = String(line) }
            guard place < wanted.count, wanted[place] == line else {
                let other = place < wanted.count ? String(wanted[place]) : "the end"
                Issue.record("\(name).txt:\(place + 1), \(command)\nis     \(line)\nwanted \(other)\n\(Self.again)")
                return
            }
        }
        #expect(found.count == wanted.count, "\(name).txt has more lines. \(Self.again)")
    }

    private func mask(_ text: String) -> String {
        var text = text
        for (found, mask) in own { text = text.replacing(found, with: mask) }
        let scenes = "00000000-0000-4000-8000-"
        text = text.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/) {
            $0.output.hasPrefix(scenes) ? String($0.output) : "<uuid>"
        }
        text = text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:]{8}(Z| UTC| [+-][0-9:]{5})/, with: "<instant>")
        // Minutes after midnight, it was yesterday.
        text = text.replacing(/since (yesterday at )?[0-9]{2}:[0-9]{2}\b/, with: "since <time>")
        text = text.replacing(/(today|tomorrow|yesterday|on [A-Z][a-z]+day <?[0-9-]{10}) at [0-9:]{5}/, with: "<day>")
        text = text.replacing(/(yesterday at |[A-Z][a-z]+day [0-9-]{10} at )[0-9:]{5}/, with: "<day>")
        text = text.replacing(/(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/, with: "<hour>")
        text = text.replacing(/[0-9]{4}-[0-9]{2}-[0-9]{2}(?!-)/, with: "<date>")
        text = text.replacing(/(<date>|check in time) [0-9]{2}:[0-9]{2}\b/) { "\($0.output.1) <time>" }
        text = text.replacing(/<date>T[0-9:]{8}/, with: "<local time>")
        text = text.replacing(/(localhost|127\.0\.0\.1):[0-9]+/) { "\($0.output.1):<port>" }
        text = text.replacing(/\([0-9a-z-]+ in the journal\)/, with: "(<name> in the journal)")
        text = text.replacing(/"(journal_name|check_in_time)":"[^"]*"/) { "\"\($0.output.1)\":\"<name>\"" }
        text = text.replacing(/\\"check_in_time\\": \\"[0-9:]{5}\\"/, with: #"\"check_in_time\": \"<time>\""#)
        text = text.replacing(/"check_in_time": "[0-9:]{5}"/, with: #""check_in_time": "<time>""#)
        text = text.replacing(/"(unseen_ms|milliseconds|pid|range|lease_ms|now)":[0-9-]+/) { "\"\($0.output.1)\":<n>" }
        text = text.replacing(/[0-9]+ s\b/, with: "<n> s")
        if masksSpans { text = text.replacing(/[0-9]+ (s|min|h|days)\b/, with: "<span>") }
        text = text.replacing(/[0-9]+ ms/, with: "<n> ms")
        let counts = /[0-9]+ tables, [0-9]+ views and [0-9]+ functions/
        text = text.replacing(counts, with: "<n> tables, views and functions")
        text = text.replacing(/all [0-9]+ (are|that)/) { "all <n> \($0.output.1)" }
        text = text.replacing(/(differ by|clock is) [0-9.]+/) { "\($0.output.1) <n>" }
        text = text.replacing(/process [0-9]+/, with: "process <n>")
        text = text.replacing(/PostgreSQL [0-9][0-9.]*( \([^)]*\))?/, with: "PostgreSQL <version>")
        text = text.replacing(/range -?[0-9]+/, with: "range <n>")
        return text
    }
}
