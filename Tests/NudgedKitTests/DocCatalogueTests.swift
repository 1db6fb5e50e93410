import Foundation
import Testing

/// The first page of the DocC catalogue names every public type that an app gets with NudgedKit, and no other.
struct DocCatalogueTests {
    @Test func page_whenOfTopics_hasEveryPublicType() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        var types: Set<String> = []
        let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
        for name in names where name.hasPrefix("NudgedKit/") || name.hasPrefix("NudgedPreferences/") {
            guard name.hasSuffix(".swift") else { continue }
            let text = try String(contentsOf: sources.appending(path: name), encoding: .utf8)
            for line in text.split(separator: "\n") {
                let parts = line.split(whereSeparator: { !$0.isLetter })
                guard parts.first == "public",
                    let kind = parts.firstIndex(where: { ["struct", "enum", "protocol", "class"].contains($0) }),
                    kind <= 2, kind + 1 < parts.count
                else { continue }
                types.insert(String(parts[kind + 1]))
            }
        }
        let page = try String(
            contentsOf: sources.appending(path: "NudgedKit/NudgedKit.docc/NudgedKit.md"),
            encoding: .utf8
        )
        let topics = page.split(separator: "\n").filter { $0.hasPrefix("- ``") && $0.hasSuffix("``") }
            .map { String($0.dropFirst(4).dropLast(2)) }
        #expect(Set(topics) == types && topics.count == types.count)
        #expect(types.count > 25)
    }
}
