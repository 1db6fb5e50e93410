import Foundation
import Testing

/// A user, the planner's time and Apple's answers → what is sent, and the next row with every field that is written.
///
/// `Tests/Reference/Plans` has the vectors. `NUDGED_WRITE=1` writes what comes out. Read it line by line.
///
/// - `##` begins a chapter: a new user with a device, whose check-ins come daily at 10:00 in Tokyo (01:00Z). Lines
///   before a file's first chapter are played in each.
/// - `user`, `devices`, `preferences`, `message`, `reminder`, `quarantine` and `planner` set what a claim reads
///   (`PlanScene`). Instants are UTC, and of the file's `day` unless they name another one.
/// - `at 01:00:00 accepted 503` plans at that time and enters the answers, in the order of the pushes. The next row
///   is the user from then on. `+10`: they come ten seconds later. `died`: the daemon dies, and recovery reads the
///   intent.
/// - `after` does the same and shows nothing. `if` does it and keeps nothing: without answers it ends with what is
///   sent, and with `|` between answers each has its row.
/// - What comes out has two blanks before it. `1/a` is push `a` to device 1: the same letter is the same `apns-id`.
///   A `row` names what is not as before. Its due time is the daily look, or half an hour to an hour later, with the
///   user's jitter.
@Suite struct PlanVectorTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Reference/Plans")
    private static let names = [
        "activity", "badges", "check-ins", "decisions", "digests", "environments", "later", "messages", "options",
        "pauses", "preferences", "quarantine", "reminders", "repeats", "retries", "silent", "surfaces", "texts",
    ]

    @Test func files_areAllPlayed() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(Self.names.map { $0 + ".txt" }))
    }

    @Test(arguments: names) func plans_whenPlayed_areAsWritten(name: String) throws {
        let file = Self.folder.appending(path: name + ".txt")
        let written = try String(contentsOf: file, encoding: .utf8)
        // With CRLF, nothing would be played.
        #expect(!written.utf8.contains(13))
        var played: [Substring] = []
        var shown = 0
        var common: [Substring] = []
        var isChapter = false
        var scene = PlanScene()
        func play(_ line: Substring) throws -> [String] {
            do {
                return try PlanLine.all(in: line).flatMap { try scene.play($0) }
            } catch {
                throw PlanLine.Malformed(what: "\(line): \(error)")
            }
        }
        for line in written.split(separator: "\n", omittingEmptySubsequences: false) where !line.hasPrefix("  ") {
            played.append(line)
            if line.hasPrefix("## ") {
                #expect(!isChapter || shown > 0, "nothing is shown before \(line)")
                shown = 0
                (scene, isChapter) = (PlanScene(), true)
                for line in common { _ = try play(line) }
            }
            if line.isEmpty || line.hasPrefix("#") { continue }
            if !isChapter { common.append(line) }
            let output = try play(line).map { "  \($0)"[...] }
            played += output
            shown += output.count
        }
        #expect(isChapter && shown > 0, "the last chapter shows nothing")
        let text = played.joined(separator: "\n")
        if ProcessInfo.processInfo.environment["NUDGED_WRITE"] != nil {
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        let difference = zip(played, written.split(separator: "\n", omittingEmptySubsequences: false)).first {
            !$0.utf8.elementsEqual($1.utf8)
        }
        let place = difference.map { "\($0.0)\ninstead of\n\($0.1)" } ?? "the end"
        // A text with other bytes can be an equal one.
        let isSame = text.utf8.elementsEqual(written.utf8)
        #expect(isSame, "\(place)\nif wanted: NUDGED_WRITE=1 swift test --filter PlanVectorTests")
    }
}
