import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Templates as an operator writes them and a daemon reads them, and what a user's row remembers of them.
@Suite(.ownThreads) struct TemplateTests {
    private static func insert(_ columns: String, _ values: String) -> String {
        "insert into nudged.template (\(columns)) values (\(values))"
    }

    /// As Planning.TemplateText reads it (PlanningTests/TemplateTextTests has the same).
    @Test func syntax_whenWritten_isWhatTheDaemonReads() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        let long = String(repeating: "a", count: 63)
        for text in [
            "plain", "{a}", "{first_name}, hello", "{{", "}}", "{{}}", "{{{a}}}", "{a}{b}", "{a1_}", "🙂 {a} é",
            "{first_name}{{}}}}", "{\(long)}",
        ] { #expect(try fixture.attempt("postgres", Self.insert("body", "'\(text)'")).state == "00000", "\(text)") }
        for text in [
            "{", "}", "a {b", "a} b", "{}", "{A}", "{1a}", "{ a}", "{a }", "{a-b}", "{é}", "{{a}", "{a}}", "{{{a}}",
            "{_a}", "{a{b}}", "{a\(long)}",
        ] { #expect(try fixture.attempt("postgres", Self.insert("body", "'\(text)'")).state == "23514", "\(text)") }
    }

    @Test func payload_whenAtTheLimit_isTaken() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        func state(_ count: Int) throws -> String {
            try fixture.attempt("postgres", Self.insert("body, domain", "repeat('b', \(count)), 'd'")).state
        }
        let frame =
            #"{"aps":{"alert":{"title":"","body":""},"sound":"default"},"conversation_id":"00000000-0000-0000-0000-000000000000","domain":"d","action":"open_conversation","nudge":"00000000-0000-0000-0000-000000000000"}"#
        #expect(try state(4_096 - frame.utf8.count) == "00000")
        #expect(try state(4_097 - frame.utf8.count) == "23514")
    }

    // MARK: What is read

    @Test func templates_whenRead_areTheActiveOnes() async throws {
        let fixture = try await F()
        // The built-in ones come inactive.
        #expect(try await fixture.store.templates() == [])
        let migrator = Migrator(configuration: fixture.configuration)
        try await migrator.activateTemplates()
        await migrator.close()
        let seeds = try await fixture.store.templates()
        #expect(seeds.map(\.id) == [1, 2, 3, 4, 5, 6] && seeds.contains { $0.title.contains("{first_name}") })
        #expect(seeds.contains { !($0.title + $0.body).contains("{") && $0.action == nil })
        try fixture.sql(
            """
            update nudged.template set active = false;
            \(Self.insert("domain, locale, title, body, weight, action", "'work', 'pt-BR', 'a', 'b', 7, 'new_conversation'"))
            """
        )
        let id = Int32(try fixture.sql("select max(id) from nudged.template")) ?? 0
        let stored = StoredTemplate(
            id: id,
            domain: "work",
            locale: "pt-BR",
            title: "a",
            body: "b",
            weight: 7,
            action: "new_conversation"
        )
        #expect(try await fixture.store.templates() == [stored])
        #expect(try await fixture.store.reading { try await $0.templates() } == [stored])
    }
}
