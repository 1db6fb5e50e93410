import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Templates as a daemon reads them.
@Suite(.ownThreads) struct TemplateTests {
    @Test func templates_whenRead_areTheActiveOnes() async throws {
        let fixture = try await F()
        // The built-in ones come inactive.
        #expect(try await fixture.store.templates() == [])
        try await fixture.migrating { try await $0.activateTemplates() }
        let seeds = try await fixture.store.templates()
        #expect(seeds.map(\.id) == [1, 2, 3, 4, 5, 6] && seeds.contains { $0.title.contains("{first_name}") })
        #expect(seeds.contains { !($0.title + $0.body).contains("{") && $0.action == nil })
        try fixture.sql(
            """
            update nudged.template set active = false;
            insert into nudged.template (domain, locale, title, body, weight, action)
            values ('work', 'pt-BR', 'a', 'b', 7, 'new_conversation')
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
