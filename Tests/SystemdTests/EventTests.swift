import Glibc
import Testing

@testable import Systemd

/// The definitions, and what is written from them.
@Suite struct EventTests {
    private static let repository = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" }

    @Test func events_areDistinctAndWellFormed() {
        #expect(Set(Event.all.map(\.messageID)).count == Event.all.count)
        #expect(Set(Event.all.map(\.name)).count == Event.all.count)
        for event in Event.all {
            #expect(event.messageID.utf8.count == 32, "\(event.name)")
            #expect(event.messageID.allSatisfy { "0123456789abcdef".contains($0) }, "\(event.name)")
            #expect(event.name.allSatisfy { $0 == "_" || ("a"..."z").contains($0) }, "\(event.name)")
            #expect(Event.named(event.name)?.messageID == event.messageID)
            #expect(!event.subject.contains("@") && !event.subject.hasSuffix("."), "\(event.name)")
            // What somebody should look at says what to do.
            #expect(event.level < .warning || event.remedy != nil, "\(event.name)")
        }
        #expect(Event.named("nonsense") == nil)
    }

    @Test func events_areAllInAGroup() throws {
        // An event that no group names would have no text in the catalog.
        let folder = Self.repository + "/Sources/Systemd/Events"
        var defined = 0
        for group in ["Service", "Sweeps", "Database", "Lanes", "Pushes", "Data", "Monitoring"] {
            let text = try Credentials.readText(
                "\(folder)/Event+\(group).swift",
                limit: 1 << 20,
                mayBeWorldReadable: true
            )
            defined += text.split(separator: "\n").count { $0.contains("public static let") && $0.contains("= Event(") }
        }
        #expect(defined == Event.all.count)
    }

    @Test func placeholders_nameFieldsOfTheirEvent() {
        for event in Event.all {
            for text in [event.meaning, event.remedy ?? ""] {
                let parts = text.split(separator: "@", omittingEmptySubsequences: false)
                #expect(parts.count % 2 == 1, "\(event.name)")
                for (place, part) in parts.enumerated() where place % 2 == 1 {
                    let fields = event.fields.map { JournalEntry.fieldName($0, prefix: "NUDGED_") }
                    #expect(fields.contains(String(part)), "\(event.name): \(part)")
                }
            }
        }
    }

    @Test func catalog_isWrittenFromTheDefinitions() throws {
        try hold(EventText.catalog, "/systemd/nudged.catalog") { _ in EventText.catalog }
    }

    @Test func journalGuide_hasTheTablesOfTheDefinitions() throws {
        let (start, end) = ("<!-- events: written by EventTests -->\n", "\n<!-- events end -->")
        try hold(start + EventText.tables + end, "/docs/JOURNAL.md") { text in
            guard let from = text.firstRange(of: start), let to = text.firstRange(of: end) else { return text }
            return text[..<from.lowerBound] + start + EventText.tables + text[to.lowerBound...]
        }
    }

    /// The file has that text; with NUDGED_WRITE it is given it.
    private func hold(_ part: String, _ path: String, writing: (String) -> String) throws {
        let path = Self.repository + path
        if getenv("NUDGED_WRITE") != nil {
            let old = (try? Credentials.readText(path, limit: 1 << 20, mayBeWorldReadable: true)) ?? ""
            var new = writing(old)
            if !new.hasSuffix("\n") { new += "\n" }
            let file = try #require(fopen(path, "w"))
            fputs(new, file)
            fclose(file)
        }
        let text = try Credentials.readText(path, limit: 1 << 20, mayBeWorldReadable: true)
        #expect(
            (text + "\n").contains(part),
            "\(path) is not what the definitions say: NUDGED_WRITE=1 swift test --filter EventTests"
        )
    }
}
