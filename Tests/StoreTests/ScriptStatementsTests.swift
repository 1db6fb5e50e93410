import Testing

@testable import Core

@Suite struct ScriptStatementsTests {
    @Test func statements_whenSemicolonsAreQuoted_areNotSplitThere() {
        let script = """
            -- one; two
            select ';', 'it''s;', "a;b";
            do $$ begin perform 1; end $$;
            create function f() returns int language sql as $body$ select 1; $$ ; $body$ ;

            -- nothing follows;
            """
        let statements = ScriptStatements.of(script)
        #expect(statements.count == 3)
        #expect(statements[0].hasSuffix("\"a;b\";") && statements[1].hasSuffix("end $$;"))
        #expect(statements[2].hasSuffix("$body$ ;"))
    }

    @Test func statements_whenTheLastHasNoSemicolon_areAllThere() {
        #expect(ScriptStatements.of("select 1; select $1") == ["select 1;", " select $1"])
        #expect(ScriptStatements.of(" -- nothing\n").isEmpty && ScriptStatements.of("").isEmpty)
    }

    /// Each migration falls into statements of which each begins as one does, and nothing is lost.
    @Test(arguments: Migration.all) func migrations_whenSplit_areWhole(migration: Migration) {
        let statements = ScriptStatements.of(migration.script)
        let words = [
            "create", "alter", "insert", "comment", "revoke", "do", "select", "drop", "update", "grant", "set",
            "delete", "with",
        ]
        for statement in statements {
            let code = statement.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
            let first = code.drop { $0.isWhitespace }.prefix { $0.isLetter }
            #expect(words.contains(String(first)), "\(migration.name): \(code.prefix(80))")
            #expect(code.components(of: "$$") % 2 == 0)
        }
        #expect(migration.script.hasPrefix(statements.joined()))
    }
}

extension String {
    /// How often it contains `part`.
    fileprivate func components(of part: String) -> Int { ranges(of: part).count }
}
