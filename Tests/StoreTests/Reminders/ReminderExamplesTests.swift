import Glibc
import Testing

@testable import Store

/// The examples of docs/SQL.md, "Reminders", run in their order. A line `-- answers …` says what the statement before it answers.
@Suite struct ReminderExamplesTests {
    typealias F = StoreFixture

    private static func section() throws -> Substring {
        let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
        let file = try #require(fopen(root + "/docs/SQL.md", "r"))
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = fread(&buffer, 1, buffer.count, file), count > 0 { bytes += buffer[..<count] }
        let page = String(decoding: bytes, as: UTF8.self)
        let section = page[try #require(page.firstRange(of: "\n## Reminders\n")).upperBound...]
        return section[..<(section.firstRange(of: "\n## ")?.lowerBound ?? section.endIndex)]
    }

    @Test func examples_whenRun_answerWhatThePageSays() async throws {
        let fixture = try await F()
        let blocks = try Self.section().split(separator: "```sql\n", omittingEmptySubsequences: false).dropFirst()
        #expect(blocks.count >= 6)
        for block in blocks {
            let text = block.prefix(upTo: try #require(block.firstRange(of: "```")).lowerBound)
            let answer = "-- answers "
            let wanted = text.split(separator: "\n").filter { $0.hasPrefix(answer) }.map {
                String($0.dropFirst(answer.count))
            }
            #expect(try fixture.lines(String(text)) == wanted, "\(text)")
        }
        await fixture.close()
    }
}
