import Foundation
import Testing

/// What apps build, they build everywhere: no C library, no Foundation.
struct KitImportsTests {
    @Test func kit_whenBuiltByAnApp_needsTheStandardLibraryOnly() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../Sources")
        var files = 0
        for target in ["NudgedKit", "JSON"] {
            let folder = sources.appending(path: target).path
            for case let name as String in try #require(FileManager.default.enumerator(atPath: folder))
            where name.hasSuffix(".swift") {
                files += 1
                let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                for line in text.split(separator: "\n") where line.split(separator: " ").contains("import") {
                    guard !line.hasPrefix(" "), !line.hasPrefix("/") else { continue }
                    #expect(line.hasSuffix("import JSON"), "\(target)/\(name): \(line)")
                }
                // Not there before the systems of 2024.
                #expect(!text.contains("String(validating:"), "\(target)/\(name)")
            }
        }
        #expect(files > 20)
    }
}
