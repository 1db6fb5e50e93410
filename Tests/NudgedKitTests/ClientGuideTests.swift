import Foundation
import NudgedKit
import TestSupport
import Testing

/// docs/CLIENT.md says what the code does.
struct ClientGuideTests {
    static func lines(_ path: String) throws -> [String] {
        try Checkout.text(path).split(separator: "\n").map(String.init)
    }

    private static func guide() throws -> [String] { try lines("docs/CLIENT.md") }

    /// The blocks of a language, each line without the space around it.
    private static func blocks(_ language: String) throws -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in try guide() {
            if line == "```\(language)" {
                block = []
            } else if line == "```", let ended = block {
                blocks.append(ended)
                block = nil
            } else {
                block?.append(line.trimmingCharacters(in: .whitespaces))
            }
        }
        return blocks
    }

    /// scripts/try-platforms typechecks the examples.
    @Test func snippets_whenInTheGuide_areCompiled() throws {
        let sample = ["SampleApp", "HomeView", "SupabaseServer"].map { "Examples/NudgedSample/\($0).swift" }
        let compiled = try (["Tests/NudgedKitTests/GuideSnippets.swift"] + sample).flatMap { try Self.lines($0) }
            .map { $0.trimmingCharacters(in: .whitespaces) }
        let snippets = try Self.blocks("swift")
        #expect(snippets.count == 13)
        for snippet in snippets {
            let starts = compiled.indices.filter { compiled[$0...].starts(with: snippet) }
            #expect(starts.count == 1, "\(snippet.joined(separator: "\n"))")
        }
    }

    @Test func snippets_whenRun_doWhatTheySay() throws {
        var snippets = GuideSnippets()
        var stored: String?
        #expect(snippets.permission(&stored, 17) == .explain && snippets.permission(&stored, 17) == .nothing)
        let text = try snippets.preferences(#"{"theme":"dark"}"#, calendarWeekday: 1)
        let preferences = Preferences(parsing: text)
        #expect(preferences.malformed == nil && preferences.weekday == 7 && preferences.checkInsEnabled == true)
        #expect(text.hasPrefix(#"{"theme":"dark","#) && snippets.shown.isEmpty)
        snippets.names()
        #expect(snippets.shown.contains("nudged.frequency.few_times_a_week:A few times a week"))
    }

    @Test func payloads_whenTapped_leadWhereTheGuideSays() throws {
        let payloads = try Self.blocks("json").map { $0.joined() }
        let id = "0f4a1c3e-9b7d-4c2a-8e5f-001122334455"
        let conversations = Set([ConversationID(id)].compactMap(\.self))
        var snippets = GuideSnippets()
        for payload in payloads {
            #expect(Payload(parsing: payload).malformed == nil, "\(payload)")
            snippets.tap(payload, conversations)
        }
        #expect(snippets.shown == ["conversation:\(id)", "new:", "order:A-17", "task:42"])
        snippets.shown = []
        snippets.tap(payloads[0], [])
        #expect(snippets.shown == ["new:work"])
    }

    @Test func table_whenOfPreferences_hasTheKeysOfTheSchema() throws {
        let page = try Self.lines("docs/POLICY.md")
        let start = try #require(page.firstIndex(of: "## Preferences"))
        let end = try #require(page.firstIndex(of: "## Time zone"))
        // A row may have several keys in its first cell.
        let keys = page[start..<end].filter { $0.hasPrefix("| `") }.flatMap { row in
            row.split(separator: "|")[0].matches(of: #/`(\w+)`/#).map { String($0.1) }
        }
        #expect(keys == PreferenceKey.allCases.map(\.rawValue))
    }

    @Test func table_whenOfEvents_hasEveryEffect() throws {
        let text = try Self.guide().joined()
        for effect in PermissionEffect.allCases where effect != .nothing { #expect(text.contains("`\(effect)`")) }
        for action in PayloadAction.allCases { #expect(text.contains("`\(action.rawValue)`")) }
    }
}
