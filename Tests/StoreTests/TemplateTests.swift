import TestSupport
import Testing

@testable import Core

/// Templates as a daemon reads them. `Tests/Reference/Calls/claims.txt` has their parts.
@Suite(.ownThreads) struct TemplateTests {
    @Test func templates_whenRead_areTheActiveOnes() async throws {
        let fixture = try await F()
        // The built-in ones come inactive.
        #expect(try await fixture.store.templates() == [])
        try await fixture.migrating { try await $0.activateTemplates() }
        let seeds = try await fixture.store.templates()
        #expect(seeds.map(\.id) == [1, 2, 3, 4, 5, 6] && seeds.contains { $0.title.contains("{first_name}") })
        #expect(seeds.contains { !($0.title + $0.body).contains("{") && $0.action == nil })
        #expect(try await fixture.store.reading { try await $0.templates() } == seeds)
        try fixture.sql("update nudged.template set active = false")
        #expect(try await fixture.store.templates() == [])
    }
}
