import Glibc
import Testing

@testable import Systemd

/// The definitions, the catalog, and what is written from both.
@Suite struct EventTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    private static func read(_ path: String) throws -> String {
        try Credentials.readText(repository + path, limit: 1 << 20)
    }

    @Test func events_areDistinctAndWellFormed() throws {
        #expect(Set(Event.all.map(\.messageID)).count == Event.all.count)
        #expect(Set(Event.all.map(\.name)).count == Event.all.count)
        for event in Event.all {
            #expect(event.messageID.utf8.count == 32, "\(event.name)")
            #expect(event.messageID.allSatisfy { "0123456789abcdef".contains($0) }, "\(event.name)")
            #expect(event.name.allSatisfy { $0 == "_" || ("a"..."z").contains($0) }, "\(event.name)")
            #expect(Event.named(event.name)?.messageID == event.messageID)
            #expect(!event.subject.contains("@") && !event.subject.hasSuffix("."), "\(event.name)")
        }
        #expect(Event.named("nonsense") == nil)
        // An event that no group names would be in no table.
        let text = try Self.read("/Sources/Systemd/Event.swift")
        #expect(
            text.split(separator: "\n").count { $0.contains("static let") && $0.contains("= Event(") }
                == Event.all.count
        )
    }

    @Test func catalog_saysWhatEachEventMeans() throws {
        let catalog = EventText(catalog: try Self.read("/systemd/nudged.catalog")).entries
        #expect(Set(catalog.keys) == Set(Event.all.map(\.messageID)))
        for event in Event.all {
            let entry = try #require(catalog[event.messageID], "\(event.name)")
            #expect(entry.subject == event.subject && !entry.meaning.isEmpty, "\(event.name)")
            // What somebody should look at says what to do.
            #expect(event.level < .warning || entry.remedy != nil, "\(event.name)")
            for field in EventText.placeholders(entry.meaning) + EventText.placeholders(entry.remedy ?? "") {
                #expect(event.fields.contains(field), "\(event.name): \(field)")
            }
        }
    }

    @Test func journalGuide_hasTheTables() throws {
        let (start, end) = ("<!-- events: written by EventTests -->\n", "\n<!-- events end -->")
        let tables = EventText(catalog: try Self.read("/systemd/nudged.catalog")).tables
        let old = try Self.read("/docs/JOURNAL.md")
        let from = try #require(old.firstRange(of: start))
        let to = try #require(old.firstRange(of: end))
        let new = old[..<from.lowerBound] + start + tables + old[to.lowerBound...]
        if getenv("NUDGED_WRITE") != nil {
            let file = try #require(fopen(Self.repository + "/docs/JOURNAL.md", "w"))
            fputs(new + "\n", file)
            fclose(file)
            return
        }
        #expect(old == new, "write docs/JOURNAL.md: NUDGED_WRITE=1 swift test --filter EventTests")
    }
}
