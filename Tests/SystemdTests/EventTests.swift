import Glibc
import Testing

@testable import Systemd

/// The definitions, the catalog, and what docs/JOURNAL.md says of both.
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
        // An event that is not in the list would have no meaning in the catalog.
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

    /// The page says for each event of warning or worse when to act, and names no other.
    @Test func journalGuide_namesTheEventsToAlertOn() throws {
        let named = try Self.names(#/`([a-z_]+)`/#, in: "## Alert on events")
        let grave = Event.all.filter { $0.level >= .warning }.map(\.name)
        #expect(named.sorted() == grave.sorted())
    }

    @Test func journalGuide_hasTheFields() throws {
        let named = try Self.names(#/`([A-Z_]+)`/#, in: "## Fields")
        #expect(named.sorted() == Set(Event.all.flatMap(\.fields)).map { $0.uppercased() }.sorted())
    }

    /// What `docs/JOURNAL.md` names in the first list below a title.
    private static func names(_ name: Regex<(Substring, Substring)>, in title: String) throws -> [String] {
        let page = try read("/docs/JOURNAL.md")
        let part = page[try #require(page.firstRange(of: title + "\n")).upperBound...]
        let list = part[try #require(part.firstRange(of: "\n- ")).lowerBound...]
        return list[..<(list.firstRange(of: "\n\n")?.lowerBound ?? list.endIndex)].matches(of: name).map {
            String($0.1)
        }
    }
}
