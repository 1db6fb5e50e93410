/// A numbered migration of `sql/`: immutable once released.
package struct Migration: Sendable, Equatable {
    /// Counts from 1.
    package let number: Int32
    /// The file's name without its number.
    package let name: String
    /// The script, several statements.
    let script: String

    /// The newest migration that a daemon must know to work beside this one. 0: it only adds, so an older daemon goes on while the others
    /// are upgraded.
    let oldest: Int32

    /// FNV-1a of the script: a database that was migrated by another text is told.
    var checksum: Int64 {
        Int64(bitPattern: script.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
    }

    private init(_ number: Int32, _ name: String, _ bytes: [UInt8], oldest: Int32 = 0) {
        self.number = number
        self.name = name
        script = String(decoding: bytes, as: UTF8.self)
        self.oldest = oldest
    }

    /// All of them, in order. (SwiftPM names an embedded file after itself, its first digit turned into an underscore.)
    package static let all = [
        Migration(1, "app_tables", PackageResources._001_app_tables_sql),
<<<<<<< HEAD
        Migration(2, "views", PackageResources._002_views_sql),
        Migration(3, "person", PackageResources._003_person_sql),
        Migration(4, "intent", PackageResources._004_intent_sql),
        Migration(5, "delivery", PackageResources._005_delivery_sql),
        Migration(6, "quarantine", PackageResources._006_quarantine_sql),
        Migration(7, "daemon", PackageResources._007_daemon_sql),
        Migration(8, "housekeeping", PackageResources._008_housekeeping_sql),
        Migration(9, "flight", PackageResources._009_flight_sql, oldest: 9),
        Migration(10, "forget", PackageResources._010_forget_sql),
        Migration(11, "distribution", PackageResources._011_distribution_sql),
        Migration(12, "retention", PackageResources._012_retention_sql),
        // A daemon that knows no messages would let their users rest.
        Migration(13, "messages", PackageResources._013_messages_sql, oldest: 13),
        Migration(14, "roles", PackageResources._014_roles_sql),
        Migration(15, "pause", PackageResources._015_pause_sql),
        // One that knows no reminders would let whoever is due for one rest.
        Migration(16, "reminders", PackageResources._016_reminders_sql, oldest: 16),
        Migration(17, "decision", PackageResources._017_decision_sql),
        Migration(18, "templates", PackageResources._018_templates_sql),
        Migration(19, "ownership", PackageResources._019_ownership_sql, oldest: 19),
=======
        Migration(2, "person_and_ownership", PackageResources._002_person_and_ownership_sql),
        Migration(3, "messages", PackageResources._003_messages_sql),
        Migration(4, "reminders", PackageResources._004_reminders_sql),
        Migration(5, "record", PackageResources._005_record_sql),
        Migration(6, "roles", PackageResources._006_roles_sql),
        Migration(7, "templates_and_operations", PackageResources._007_templates_and_operations_sql),
>>>>>>> sqlh
    ]

    /// The number of the last one that this version knows.
    static var newest: Int32 { all.last?.number ?? 0 }
}
