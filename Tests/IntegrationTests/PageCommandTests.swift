import Foundation
import LocalPostgres
import TestSupport
import Testing

/// The commands of the pages, as they are written there. `scripts/words` lists who plays the other blocks.
@Suite(.ownThreads) struct PageCommandTests {
    private static let root = URL(filePath: #filePath).appending(path: "../../..").standardized
    private static let folder = URL(filePath: Scene.binary).deletingLastPathComponent().path

    private static func text(_ page: String) throws -> String {
        try String(contentsOf: root.appending(path: page), encoding: .utf8)
    }

    /// The lines of a page's indented blocks.
    private static func commands(_ page: String) throws -> [String] {
        try text(page).split(separator: "\n").filter { $0.hasPrefix("    ") }.map { String($0.dropFirst(4)) }
    }

    @Test func decide_whenTypedAsInPOLICY_answersWhatThePageSays() async throws {
        let lines = try Self.commands("docs/POLICY.md")
        let answer = try #require(lines.last)
        let script = "set -o pipefail; PATH='\(Self.folder)':$PATH\n" + lines.dropLast().joined(separator: "\n")
        let run = try await ChildProcess.toEnd(["bash", "-c", script])
        #expect(run.exit == .code(0) && run.output == answer + "\n", "\(run)")
    }

    /// In a folder and on a port of the test's.
    @Test func apple_whenStartedAsInAPPLE_listens() async throws {
        let scene = try await Scene()
        let lines = try Self.commands("docs/APPLE.md")
        #expect(lines.count == 3)
        for (number, line) in lines.enumerated() {
            let words = line.prefix { $0 != "#" }.split(separator: " ").map(String.init)
            #expect(words.first == "nudged-apple", "\(line)")
            let place = ["--folder", "\(scene.folder)/apple\(number)", "--port", "0"]
            let apple = try ChildProcess([Scene.binary + "-apple"] + words.dropFirst() + place, output: .captured)
            defer { apple.end() }
            #expect(apple.waitForOutput(.seconds(60)) { $0.contains("\n") }, "\(line)")
            apple.signal(SIGTERM)
            #expect(await apple.ended() == .code(0), "\(line)")
        }
    }

    /// Each `nudged …` of a page, in a block or in a sentence, is a command with these options.
    @Test func commands_whenAPageNamesThem_exist() async throws {
        let docs = try FileManager.default.contentsOfDirectory(atPath: Self.root.appending(path: "docs").path)
        let pages = ["README.md", "CONTRIBUTING.md"] + docs.filter { $0.hasSuffix(".md") }.map { "docs/" + $0 }
        var helps: [String: String] = [:]
        for page in pages {
            let text = try Self.text(page)
            let fences = text.matches(of: /```[\s\S]*?\n```/).map { String($0.output) }
            // What ends with a full stop is a text, not a command.
            let spans = text.replacing(/```[\s\S]*?\n```/, with: "").matches(of: /`([^`]+)`/).map {
                String($0.1.replacing("\n", with: " "))
            }.filter { !$0.hasSuffix(".") }
            let code = try fences + spans + Self.commands(page)
            for match in code.flatMap({ $0.matches(of: /(?:^|[\s'])nudged ([a-z][a-z-]*[a-z])(?![\w-])([^\n|;#"]*)/) })
            {
                let name = String(match.1)
                if helps[name] == nil {
                    let run = try await ChildProcess.toEnd([Scene.binary, "help", name])
                    #expect(run.exit == .code(0), "\(page): \(match.0)")
                    helps[name] = run.output
                }
                for option in match.2.matches(of: /--[a-z-]+/) {
                    #expect(helps[name]?.contains(option.output) == true, "\(page): \(match.0)")
                }
            }
        }
        #expect(helps.count > 12, "\(helps.keys.sorted())")
    }
}
