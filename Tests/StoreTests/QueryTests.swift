import Foundation
import Testing

@testable import Core

/// The list of statements and the files are the same.
@Suite struct QueryTests {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")

    @Test func queries_always_areTheStatements() throws {
        let file = Self.root.appending(path: "Sources/Core/Store/Query.swift")
        let code = try String(contentsOf: file, encoding: .utf8)
        let listed = code.matches(of: /static let \w+ = Query\("(\w+)"\)/).map { String($0.1) }
        let names = Query.all.map(\.name)
        #expect(listed.count == code.ranges(of: " = Query(\"").count)
        for name in Set(listed + names) {
            #expect(listed.count { $0 == name } == 1, "lines of Query.swift for \(name)")
            #expect(names.count { $0 == name } == 1, "statements named \(name)")
        }
        for query in Query.all {
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
        #expect(found == Dictionary(Query.all.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first }))
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
        #expect(Query.clock == .clock && Query.clock != .drain)
    }
}
