import Foundation
import Testing

@testable import Core

/// The list of statements and the files are the same.
@Suite struct QueryTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    @Test func queries_always_areTheStatements() {
        let names = Query.statements(in: Query.embedded).map(\.name)
        #expect(names.sorted() == Query.allCases.map(\.name).sorted())
        for query in Query.allCases {
            let lines = query.sql.split(separator: "\n")
            #expect(lines.first?.hasPrefix("-- ") == true && lines.last?.hasPrefix("--") == false, "\(query.name)")
        }
    }

    @Test func queries_areAllOfTheFolder() throws {
        let files = try FileManager.default.contentsOfDirectory(
            at: Self.root.appending(path: "sql/queries"),
            includingPropertiesForKeys: nil
        ).filter { $0.pathExtension == "sql" }
        var found: [String: String] = [:]
        for file in files {
            let text = try String(contentsOf: file, encoding: .utf8)
            // What precedes a file's first name would belong to the statement before it.
            #expect(text.hasPrefix("-- name: "), "\(file.lastPathComponent)")
            for query in Query.statements(in: text) { found[query.name] = query.sql }
        }
        #expect(found == Dictionary(Query.allCases.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first }))
    }

    @Test func statements_whenTwoAreInAText_areApart() {
        let text = """
            -- name: one
            -- The first.
            select 1

            -- name: two
            -- The second -- name: none
            select '-- name: none'

            """
        let found = Query.statements(in: text)
        #expect(found.map(\.name) == ["one", "two"])
        #expect(found.map(\.sql) == ["-- The first.\nselect 1", "-- The second -- name: none\nselect '-- name: none'"])
    }

    @Test func query_isTheFilesText() {
        #expect(Query.clock.name == "clock" && Query.clock.sql.contains("clock_timestamp()"))
    }
}
