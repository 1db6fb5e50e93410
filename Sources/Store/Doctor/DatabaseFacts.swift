/// What `nudged doctor` reads of a database: facts, judged elsewhere.
public enum DatabaseFacts {
    /// What server it is, and who we are there.
    public struct Server: Sendable, Equatable {
        /// As `server_version_num`: 150020.
        public var versionNumber: Int32
        /// In words.
        public var version: String
        /// A standby.
        public var isInRecovery: Bool
        /// It takes writes.
        public var isWritable: Bool
        /// Its clock, in microseconds since 1970.
        public var clock: Int64
        /// Whom we are logged in as.
        public var role: String
        /// It may do everything.
        public var isSuperuser: Bool
        /// Row-level security does not hold for it.
        public var bypassesRowSecurity: Bool
        /// nudged's tables are its own.
        public var ownsTables: Bool
        /// Schema `nudged` is there.
        public var hasSchema: Bool
        /// Our role may look into it.
        public var mayUseSchema: Bool
        /// Dead rows are cleaned up by the server.
        public var cleansUp: Bool
        /// Citus is there.
        public var isDistributed: Bool
    }

    /// A right, and whether our role has it.
    public struct Right: Sendable, Equatable {
        /// Which.
        public var right: DaemonRight
        /// The object is there.
        public var exists: Bool
        /// Our role has it.
        public var isGranted: Bool
    }

    /// A trigger of nudged's on one of the app's tables.
    public struct Trigger: Sendable, Equatable {
        /// The table, in schema `public`.
        public var table: String
        /// Its name.
        public var name: String
        /// `pg_trigger.tgenabled`; nil: there is none.
        public var state: String?

        /// For ordinary sessions.
        public var fires: Bool { state == "O" || state == "A" }
    }

    /// A view through which the daemon reads the app.
    public enum View: String, Sendable, CaseIterable {
        /// Who could be nudged.
        case recipient
        /// Where they are reached.
        case device
        /// Whom a subject concerns.
        case subjectMember = "subject_member"
    }

    /// A view's column.
    public struct Column: Sendable, Equatable {
        /// In schema `nudged`.
        public var view: String
        /// Its name.
        public var name: String
        /// As `format_type` writes it: `uuid`, `timestamp with time zone`.
        public var type: String
    }

    /// One of the app's tables.
    public struct AppTable: Sendable, Equatable {
        /// In schema `public`.
        public var name: String
        /// It is there.
        public var exists: Bool
        /// Row-level security is on.
        public var hasRowSecurity: Bool
        /// An index begins with `user_id`.
        public var hasUserIndex: Bool
        /// Supabase's roles for everyone that may read it.
        public var readers: [String]
        /// nudged's views read it.
        public var isRead: Bool
    }

    /// How much of a table is dead.
    public struct Bloat: Sendable, Equatable {
        /// In schema `nudged`.
        public var table: String
        /// Rows, by the server's estimate.
        public var live: Int64
        /// The same of those that nobody sees any more.
        public var dead: Int64
        /// Somebody has turned that off for it.
        public var isNeverCleaned: Bool
    }

    /// Who keeps dead rows from being cleaned up.
    public struct Holders: Sendable, Equatable {
        /// The session with the oldest snapshot or transaction.
        public struct Session: Sendable, Equatable {
            /// The server's process.
            public var processID: Int32
            /// Whose; nil for a process of the server's own.
            public var role: String?
            /// Of its transaction; nil where our role may not see it.
            public var seconds: Int64?
            /// In transactions that began since.
            public var age: Int64
        }

        /// The oldest.
        public var session: Session?
        /// Transactions that were prepared and wait for their second phase.
        public var prepared: Int64
        /// Of the oldest of them.
        public var preparedSeconds: Int64?
        /// Replication slots that nobody reads from.
        public var idleSlots: [String]
    }
}
