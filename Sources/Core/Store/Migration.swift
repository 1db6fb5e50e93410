import SQLFiles

/// A numbered migration of `sql/`. Its text never changes once it is released.
package struct Migration: Sendable, Equatable {
    /// From 1.
    package let number: Int32
    /// The file's name without its number.
    package let name: String
    /// Several statements.
    let script: String

    /// The number of the migration that a daemon must know to work beside this one. 0: this one only adds, so older
    /// daemons go on during an upgrade.
    let oldest: Int32

    /// FNV-1a of the script. It shows whether a database was migrated with another text.
    var checksum: Int64 {
        Int64(bitPattern: script.stableHash)
    }

    /// As its file is called: `0001_app_tables`.
    package var label: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + "\(digits)_\(name)"
    }

    /// How many objects of a kind (`table`, `view`, `function`) its text creates in the schemas `nudged` and
    /// `nudged_api`. A partition is part of its table.
    package func count(creating kind: String) -> Int {
        let beginnings = [
            "create \(kind) nudged.", "create \(kind) nudged_api.", "create \(kind) nudged_me.",
            "create unlogged \(kind) nudged.",
        ]
        return script.split(separator: "\n").count { line in
            let text = line.drop { $0 == " " || $0 == "'" }
            return beginnings.contains { text.hasPrefix($0) } && !text.contains(" partition of ")
        }
    }

    /// Its file is embedded at build time. MigrationTests find a number without one.
    private init(_ number: Int32, _ name: String, oldest: Int32 = 0) {
        self.number = number
        self.name = name
        script = nudged_migration(number).map { String(cString: $0) } ?? ""
        self.oldest = oldest
    }

    /// All migrations, in order.
    package static let all = [
        Migration(1, "app_tables"),
        Migration(2, "person_and_ownership"),
        Migration(3, "messages"),
        Migration(4, "reminders"),
        Migration(5, "record"),
        Migration(6, "roles"),
        Migration(7, "templates_and_operations"),
        Migration(8, "answers"),
        Migration(9, "previews"),
        Migration(10, "app"),
    ]

    /// The number of the last migration that this version knows.
    static var newest: Int32 { all.last?.number ?? 0 }
}
