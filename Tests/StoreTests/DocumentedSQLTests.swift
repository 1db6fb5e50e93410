import Foundation
import Testing

@testable import Store

/// The examples of docs/SQL.md run, in their order, on a fresh database.
@Suite struct DocumentedSQLTests {
    typealias F = StoreFixture

    private static func examples(in text: String) -> [String] {
        var found: [String] = []
        var block: [Substring]?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "```sql" {
                block = []
            } else if line == "```", let lines = block {
                found.append(lines.joined(separator: "\n"))
                block = nil
            } else {
                block?.append(line)
            }
        }
        return found
    }

    @Test func examples_whenRunInOrder_work() async throws {
        let page = #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/docs/SQL.md"
        let examples = Self.examples(in: try String(contentsOfFile: page, encoding: .utf8))
        #expect(examples.count >= 5)
        let fixture = try await F()
        try fixture.seed(1...2)
        for example in examples {
            #expect(throws: Never.self, "\(example)") { try fixture.sql(example) }
        }
        // What they left: of the first user two messages of their own and one of the many, of the second nothing.
        #expect(try fixture.lines("select count(*) from nudged.message group by user_id") == ["3"])
        #expect(try fixture.sql("select count(*) from nudged.person") == "1")
        await fixture.close()
    }
}
