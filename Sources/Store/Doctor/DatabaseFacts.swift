/// What `nudged doctor` reads of a database: facts, judged elsewhere.
package enum DatabaseFacts {
    /// What server it is, and who we are there.
    package struct Server: Sendable, Equatable {
        /// As `server_version_num`: 150020.
        package var versionNumber: Int32
        /// In words.
        package var version: String
        /// A standby.
        package var isInRecovery: Bool
        /// It takes writes.
        package var isWritable: Bool
        /// Its clock, in microseconds since 1970.
        package var clock: Int64
        /// Whom we are logged in as.
        package var role: String
        /// It may do everything.
        package var isSuperuser: Bool
        /// Row-level security does not hold for it.
        package var bypassesRowSecurity: Bool
        /// nudged's tables are its own.
        package var ownsTables: Bool
        /// Schema `nudged` is there.
        package var hasSchema: Bool
        /// Our role may look into it.
        package var mayUseSchema: Bool
        /// Dead rows are cleaned up by the server.
        package var cleansUp: Bool
        /// Citus is there.
        package var isDistributed: Bool
    }

    /// A right, and whether our role has it.
    package struct Right: Sendable, Equatable {
        /// Which.
        package var right: DaemonRight
        /// The object is there.
        package var exists: Bool
        /// Our role has it.
        package var isGranted: Bool
    }

    /// A trigger of nudged's on one of the app's tables.
    package struct Trigger: Sendable, Equatable {
        /// The table, in schema `public`.
        package var table: String
        /// Its name.
        package var name: String
        /// `pg_trigger.tgenabled`; nil: there is none.
        package var state: String?

        /// For ordinary sessions.
        package var fires: Bool { state == "O" || state == "A" }
    }

    /// A view through which the daemon reads the app.
    package enum View: String, Sendable, CaseIterable {
        /// Who could be nudged.
        case recipient
        /// Where they are reached.
        case device
        /// Whom a subject concerns.
        case subjectMember = "subject_member"
    }

    /// A view's column.
    package struct Column: Sendable, Equatable {
        /// In schema `nudged`.
        package var view: String
        /// Its name.
        package var name: String
        /// As `format_type` writes it: `uuid`, `timestamp with time zone`.
        package var type: String
    }

    /// One of the app's tables.
    package struct AppTable: Sendable, Equatable {
        /// In schema `public`.
        package var name: String
        /// It is there.
        package var exists: Bool
        /// Row-level security is on.
        package var hasRowSecurity: Bool
        /// An index begins with `user_id`.
        package var hasUserIndex: Bool
        /// Supabase's roles for everyone that may read it.
        package var readers: [String]
        /// nudged's views read it.
        package var isRead: Bool
    }

    /// How much of a table is dead.
    package struct Bloat: Sendable, Equatable {
        /// In schema `nudged`.
        package var table: String
        /// Rows, by the server's estimate.
        package var live: Int64
        /// The same of those that nobody sees any more.
        package var dead: Int64
        /// Somebody has turned that off for it.
        package var isNeverCleaned: Bool
    }

    /// Who keeps dead rows from being cleaned up.
    package struct Holders: Sendable, Equatable {
        /// The session with the oldest snapshot or transaction.
        package struct Session: Sendable, Equatable {
            /// The server's process.
            package var processID: Int32
            /// Whose; nil for a process of the server's own.
            package var role: String?
            /// Of its transaction; nil where our role may not see it.
            package var seconds: Int64?
            /// In transactions that began since.
            package var age: Int64
        }

        /// The oldest.
        package var session: Session?
        /// Transactions that were prepared and wait for their second phase.
        package var prepared: Int64
        /// Of the oldest of them.
        package var preparedSeconds: Int64?
        /// Replication slots that nobody reads from.
        package var idleSlots: [String]
    }
}
