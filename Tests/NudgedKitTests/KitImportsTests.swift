import Foundation
import TestSupport
import Testing

/// What apps build, they build everywhere: no C library. Apple's frameworks only where they are. Foundation only where
/// the server's answers are read.
struct KitImportsTests {
    @Test func kit_whenBuiltByAnApp_needsNoLibrary() throws {
        var files = 0
        for target in ["NudgedKit", "NudgedPreferences", "JSON"] {
            let folder = "\(Checkout.root)/Sources/\(target)"
            for case let name as String in try #require(FileManager.default.enumerator(atPath: folder))
            where name.hasSuffix(".swift") {
                files += 1
                let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                // Not there before the systems of 2024.
                #expect(!text.contains("String(validating:"), "\(target)/\(name)")
                if name.hasPrefix("Apple/") {
                    #expect(text.hasPrefix("#if canImport(UserNotifications)"), "\(name)")
                    #expect(text.hasSuffix("\n#endif\n"), "\(name)")
                    continue
                }
                for line in text.split(separator: "\n").map({ $0.trimmingCharacters(in: .whitespaces) })
                where line.split(separator: " ").contains("import") && !line.hasPrefix("/") {
                    let module = line.split(separator: " ").last.map(String.init) ?? ""
                    let isFoundation = ["Foundation", "FoundationEssentials"].contains(module)
                    #expect(
                        ["JSON", "NudgedPreferences"].contains(module) || name.hasPrefix("Server/") && isFoundation,
                        "\(target)/\(name): \(line)"
                    )
                }
            }
        }
        #expect(files > 18)
    }

    /// An app sees the same product by either manifest.
    @Test func manifest_whenForOlderSwift_hasTheKitAlone() throws {
        let older = try Checkout.text("Package@swift-6.0.swift").split(separator: "\n")
        let newer = try Checkout.text("Package.swift").split(separator: "\n")
        #expect(older.first == "// swift-tools-version: 6.0" && newer.first == "// swift-tools-version: 6.2")
        let seen = older.filter { $0.contains("platforms:") || $0.contains(".library(") || $0.contains("name: \"n") }
        #expect(seen.count == 3)
        for line in seen { #expect(newer.contains(line), "\(line)") }
        #expect(newer.contains { $0.contains("library(\"NudgedKit\", [\"JSON\", \"NudgedPreferences\"])") })
    }
}

/// The first page of the DocC catalogue names every public type that an app gets with NudgedKit, and no other.
struct DocCatalogueTests {
    @Test func page_whenOfTopics_hasEveryPublicType() throws {
        var types: Set<String> = []
        let names = try FileManager.default.subpathsOfDirectory(atPath: Checkout.root + "/Sources")
        for name in names where name.hasPrefix("NudgedKit/") || name.hasPrefix("NudgedPreferences/") {
            guard name.hasSuffix(".swift") else { continue }
            for line in try Checkout.text("Sources/\(name)").split(separator: "\n") {
                let parts = line.split(whereSeparator: { !$0.isLetter })
                guard parts.first == "public",
                    let kind = parts.firstIndex(where: { ["struct", "enum", "protocol", "class"].contains($0) }),
                    kind <= 2, kind + 1 < parts.count
                else { continue }
                types.insert(String(parts[kind + 1]))
            }
        }
        let page = try Checkout.text("Sources/NudgedKit/NudgedKit.docc/NudgedKit.md")
        let topics = page.split(separator: "\n").filter { $0.hasPrefix("- ``") && $0.hasSuffix("``") }
            .map { String($0.dropFirst(4).dropLast(2)) }
        #expect(Set(topics) == types && topics.count == types.count && types.count > 25)
    }
}
