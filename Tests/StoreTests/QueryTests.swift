import Foundation
import TestSupport
import Testing

@testable import Core

/// The list of statements and the files are the same.
@Suite struct QueryTests {
    @Test func queries_always_areTheStatements() {
        let names = Query.statements(in: Query.embedded).map(\.name)
        #expect(names.sorted() == Query.allCases.map(\.name).sorted())
        for query in Query.allCases {
            let lines = query.sql.split(separator: "\n")
            #expect(lines.first?.hasPrefix("-- ") == true && lines.last?.hasPrefix("--") == false, "\(query.name)")
        }
    }

    @Test func queries_areAllOfTheFolder() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/sql/queries")
        var found: [String: String] = [:]
        for file in files where file.hasSuffix(".sql") {
            let text = try Checkout.text("sql/queries/\(file)")
            // What precedes a file's first name would belong to the statement before it.
            #expect(text.hasPrefix("-- name: "), "\(file)")
            for query in Query.statements(in: text) { found[query.name] = query.sql }
        }
        #expect(found == Dictionary(Query.allCases.map { ($0.name, $0.sql) }, uniquingKeysWith: { first, _ in first }))
        #expect(Query.clock.name == "clock" && Query.clock.sql.contains("clock_timestamp()"))
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
}

@Suite struct MigrationStatementsTests {
    @Test func statements_whenSemicolonsAreQuotedOrInsideOfALine_areNotSplitThere() {
        let script = """
            -- a note; and more;
            select ';', 'it''s;', "a;b";
            do $$ begin perform 1; end $$;
            create function f() returns int language plpgsql as $$
            begin
                execute $body$ select 1;
                $body$;
            end
            $$;

            -- nothing follows;
            """
        let statements = Migration.statements(of: script)
        #expect(statements.count == 3)
        #expect(statements[0].hasSuffix("\"a;b\";\n") && statements[1].hasSuffix("end $$;\n"))
        #expect(statements[2].hasSuffix("end\n$$;\n"))
        #expect(Migration.statements(of: "-- nothing\n").isEmpty && Migration.statements(of: "").isEmpty)
        for last in ["select 2", "select 2; ", "select 2; -- the end"] {
            #expect(Migration.statements(of: "select 1;\n" + last) == ["select 1;\n", last + "\n"])
        }
    }

    /// Each migration falls into statements of which each begins as one does, and nothing is lost.
    @Test(arguments: Migration.all) func migrations_whenSplit_areWhole(migration: Migration) {
        let statements = Migration.statements(of: migration.script)
        let words = [
            "create", "alter", "insert", "comment", "revoke", "do", "select", "drop", "update", "grant", "set",
            "delete", "with",
        ]
        for statement in statements {
            let code = statement.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
            let first = code.drop { $0.isWhitespace }.prefix { $0.isLetter }
            #expect(words.contains(String(first)), "\(migration.name): \(code.prefix(80))")
            #expect(code.ranges(of: "$$").count % 2 == 0)
        }
        #expect(migration.script.hasPrefix(statements.joined()))
    }
}
