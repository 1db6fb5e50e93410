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
        Int64(bitPattern: script.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    /// As its file is called: `0001_app_tables`.
    package var label: String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + "\(digits)_\(name)"
    }

    /// How many objects of a kind (`table`, `view`, `function`) its text creates in the schemas `nudged` and
    /// `nudged_api`. A partition is part of its table.
    package func count(creating kind: String) -> Int {
        let beginnings = ["create \(kind) nudged.", "create \(kind) nudged_api.", "create unlogged \(kind) nudged."]
        return script.split(separator: "\n").count { line in
            let text = line.drop { $0 == " " || $0 == "'" }
            return beginnings.contains { text.hasPrefix($0) } && !text.contains(" partition of ")
        }
    }

    private init(_ number: Int32, _ name: String, _ bytes: [UInt8], oldest: Int32 = 0) {
        self.number = number
        self.name = name
        script = String(decoding: bytes, as: UTF8.self)
        self.oldest = oldest
    }

    /// All migrations, in order. SwiftPM names an embedded file after itself, with an underscore for its first digit.
    package static let all = [
        Migration(1, "app_tables", PackageResources._001_app_tables_sql),
        Migration(2, "person_and_ownership", PackageResources._002_person_and_ownership_sql),
        Migration(3, "messages", PackageResources._003_messages_sql),
        Migration(4, "reminders", PackageResources._004_reminders_sql),
        Migration(5, "record", PackageResources._005_record_sql),
        Migration(6, "roles", PackageResources._006_roles_sql),
        Migration(7, "templates_and_operations", PackageResources._007_templates_and_operations_sql),
        Migration(8, "answers", PackageResources._008_answers_sql),
        Migration(9, "previews", PackageResources._009_previews_sql),
        Migration(10, "app", PackageResources._010_app_sql),
    ]

    /// The number of the last migration that this version knows.
    static var newest: Int32 { all.last?.number ?? 0 }
}
