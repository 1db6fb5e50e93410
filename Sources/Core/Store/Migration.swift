import Glibc
import SQLFiles

/// A numbered migration of `sql/`. Its text never changes once it is released.
package struct Migration: Sendable, Equatable {
    /// From 1.
    package let number: Int32
    /// The file's name without its number.
    package let name: String
    /// Several statements (`statements`).
    let script: String
    /// The number of the migration that a daemon must know to work beside this one. 0: it only adds, so all can.
    let oldest: Int32

    /// FNV-1a of the script. It shows whether a database was migrated with another text.
    var checksum: Int64 { Int64(bitPattern: script.stableHash) }

    /// As its file is called: `0001_app_tables`.
    package var label: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + "\(digits)_\(name)"
    }

    /// How many objects of a kind (`table`, `view`, `function`) its text creates in the schemas `nudged` and
    /// `nudged_api`. A partition is part of its table.
    package func count(creating kind: String) -> Int {
        let schemas = ["nudged", "nudged_api", "nudged_me"]
        let beginnings = schemas.map { "create \(kind) \($0)." } + ["create unlogged \(kind) nudged."]
        return script.split(separator: "\n").reduce(0) { count, line in
            let text = line.drop { $0 == " " || $0 == "'" }
            // It makes a function in each of the app's schemas.
            if kind == "function", text.hasPrefix("select nudged.make_calls(") { return count + 2 }
            return count + (beginnings.contains { text.hasPrefix($0) } && !text.contains(" partition of ") ? 1 : 0)
        }
    }

    /// - Parameter script: nil: its file's, embedded at build time. MigrationTests check that each number has one.
    private init(_ number: Int32, _ name: String, _ script: String? = nil, oldest: Int32 = 0) {
        self.number = number
        self.name = name
        self.script = script ?? nudged_migration(number).map { String(cString: $0) } ?? ""
        self.oldest = oldest
    }

    package static let all = released + next

    /// In debug builds, NUDGED_NEXT_MIGRATION is the text of one more: so an upgrade can be played before there is one.
    private static var next: [Migration] {
        #if DEBUG
            if let text = getenv("NUDGED_NEXT_MIGRATION") {
                return [Migration(Int32(released.count) + 1, "next", String(cString: text))]
            }
        #endif
        return []
    }

    private static let released = [
        Migration(1, "app_tables"), Migration(2, "person_and_ownership"), Migration(3, "messages"),
        Migration(4, "reminders"), Migration(5, "record"), Migration(6, "roles"),
        Migration(7, "templates_and_operations"), Migration(8, "answers"), Migration(9, "previews"),
        Migration(10, "app"),
    ]

    /// The newest migration of the minor version before. (0.1 has none before it: its own.) A daemon works from this one
    /// on, so it can be upgraded before the database.
    static let needed: Int32 = 10

    static var newest: Int32 { all.last?.number ?? 0 }

    /// The migrations after a number as one script, for psql or a migration tool. It does what `Migrator` does, and
    /// writes the rows by which `Migrator` later finds them applied. It begins and ends no transaction.
    package static func script(after last: Int32 = 0, usesTemplates: Bool = false) -> String {
        let wanted = all.filter { $0.number > last }
        guard let first = wanted.first, let final = wanted.last else {
            return "-- nudged has no migration after \(last).\n"
        }
        var text = """
            -- The schema of nudged, migrations \(first.label) to \(final.label) (nudged migrate --sql).
            -- Apply it in one transaction, as the role that owns the app's tables. First run nudged migrate --dry-run:
            -- it says what is in the way, and which tables are made. If a table stays locked for 1 s, the script ends
            -- with 55P03; then repeat it.

            -- Nothing that other roles may have made in another schema is called.
            select pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

            \(Migrator.preparation)
            -- Waits for another migrator. In a block, since some tools send a statement in a transaction that LOCK
            -- doesn't recognise.
            do $$ begin \(Migrator.lock.sql); end $$;
            select set_config('lock_timeout', '\(Int64(LockPatience().wait / .milliseconds(1)))', true);

            """
        for migration in wanted {
            text += """

                -- \(migration.label)

                \(migration.script)
                insert into nudged.migration (number, name, checksum, oldest)
                values (\(migration.number), '\(migration.name)', \(migration.checksum), \(migration.oldest));

                """
        }
        if usesTemplates { text += "\n\(Migrator.templateActivation);\n" }
        return text
    }

    /// The statements of a script. Citus carries a trigger to other machines with the text that it was sent in, so each
    /// statement is sent alone. It ends with a semicolon at the end of a line, outside of `$$`, or with the script.
    static func statements(of script: String) -> [String] {
        var found: [String] = []
        var statement = ""
        var isQuoted = false
        for line in script.split(separator: "\n", omittingEmptySubsequences: false) {
            statement += "\(line)\n"
            let marks = zip(line.utf8, line.utf8.dropFirst()).count { $0 == UInt8(ascii: "$") && $1 == $0 }
            if !marks.isMultiple(of: 2) { isQuoted.toggle() }
            guard !isQuoted, line.hasSuffix(";"), !line.hasPrefix("--") else { continue }
            found.append(statement)
            statement = ""
        }
        let isCode = statement.split(separator: "\n").contains { !$0.hasPrefix("--") && !$0.allSatisfy(\.isWhitespace) }
        return isCode ? found + [statement] : found
    }
}
