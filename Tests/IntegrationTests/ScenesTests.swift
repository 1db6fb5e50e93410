import Foundation
import TestSupport
import Testing

/// What an app's calls bring to the phone and into the record, and what commands say: SQL, sweeps, and what Apple gets.
///
/// `Tests/Reference/Scenes` has the scenes. `##` begins one. It has a database of its own, and is played once for each
/// `case`, whose parts stand for `<a>`, `<b>` and so on. A line that is indented belongs to the one above. The steps:
///
/// - `apple any 2 silence`: to the first two pushes of any token, Apple is silent. `service true`: a decision service
///   allows all. `users`, `reminded`, `due` or `own-cluster` follow. `two-apples`: the first is the sandbox,
///   `production` another one.
/// - `users 1 devices 2` have no check-ins and no quiet hours; `reminded 1` is in UTC, too; `due 1` has a check-in now.
/// - `send 1`, `remind 1`: the SQL after the user, and after the subject and the text. `sql` runs, `?` asks: the rows
///   follow, each after `=`. `id = …` names what a step gives, so that `<id>` stands for it.
/// - `run sent 1` is a sweep and its numbers. `start` begins a daemon, which goes on `until` SQL says so, or `stop`.
///   `nudged` is another command. After `|`: its exit status, if that is not 0, and what it says. `await` repeats it
///   until it says so. After `stop |`: what it logged. `kill` ends it by SIGKILL.
/// - With `held`, a service's first answer waits for `answer`. `asks 4` waits for so many questions, `writes 1` for so
///   many lines in the log.
///   `pauses claimed` begins a sweep that holds at this point until `goes`, which says how it ends, as `run` does.
/// - `hold` runs SQL in a transaction of another session, which stays open until `commit` or `rollback`.
/// - `file a.yaml 600 x` writes a file into `<folder>`, which `config <folder>/a.yaml` names to `run` and `start`.
/// - `with A=b` sets a variable, and `with A` takes it away. `database a b` makes `b` the user in database `a`, which
///   is made if SQL follows.
/// - `transcript a` begins to write down what commands say, as a file of `Transcripts` has it: a `title`, then what
///   `shows` runs, with `&&` between commands, and the `findings` of doctor.
/// - `push 1` is the first one that Apple took, `got 1` the user's only one, `each` all of them. Of each it says facts
///   and members of the payload, such as `.aps.badge 1`; `none`: there is no such member.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct ScenesTests {
    @Test func scripts_areAllFound() {
        #expect(SceneScript.all.count == 225)
        for script in SceneScript.all {
            let acts = script.steps.contains { step in
                ["run", "start", "nudged", "doctor", "pauses", "shows", "findings"].contains { step.hasPrefix($0) }
            }
            #expect(acts, "\(script.title): nothing runs")
        }
    }

    @Test(arguments: SceneScript.all) func scenes_whenPlayed_areAsWritten(script: SceneScript) async throws {
        var player = ScenePlayer()
        defer { player.end() }
        for step in script.steps { try await player.play(step) }
        try player.transcript?.check()
    }
}

/// A scene of `Tests/Reference/Scenes`, with one of its cases.
struct SceneScript: Sendable, CustomTestStringConvertible {
    let title: String
    let steps: [String]

    var testDescription: String { title }

    static let all: [SceneScript] = {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Reference/Scenes")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let texts = names.sorted().compactMap { try? String(contentsOf: folder.appending(path: $0), encoding: .utf8) }
        return texts.flatMap { $0.split(separator: "\n## ").dropFirst() }.flatMap(SceneScript.cases)
    }()

    private static func cases(_ chapter: Substring) -> [SceneScript] {
        let lines = chapter.split(separator: "\n").map(String.init)
        var cases: [[Substring]] = []
        var steps: [String] = []
        for line in lines.dropFirst() where !line.hasPrefix("# ") {
            if line.hasPrefix("case ") {
                cases.append(line.dropFirst(5).split(separator: " | "))
            } else if line.hasPrefix("= ") || line.hasPrefix("  ") {
                steps[steps.count - 1] += "\n" + line
            } else {
                steps.append(line)
            }
        }
        if cases.isEmpty { return [SceneScript(title: lines[0], steps: steps)] }
        let marks = ["<a>", "<b>", "<c>", "<d>"]
        let used = marks.count { mark in steps.contains { $0.contains(mark) } }
        precondition(cases.allSatisfy { $0.count == used }, lines[0])
        return cases.map { parts in
            let filled = steps.map { step in
                zip(marks, parts).reduce(step) { $0.replacing($1.0, with: $1.1) }
            }
            return SceneScript(title: "\(lines[0]) \(parts[0])", steps: filled)
        }
    }
}
