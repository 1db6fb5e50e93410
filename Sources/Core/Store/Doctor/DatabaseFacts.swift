/// The facts about a database that `nudged doctor` evaluates.
package enum DatabaseFacts {
    /// The server, and this session's role.
    package struct Server: Sendable, Equatable {
        /// As `server_version_num`, such as 150020.
        package var versionNumber: Int32
        package var version: String
        package var isInRecovery: Bool
        package var isWritable: Bool
        /// Its clock, in microseconds since 1970.
        package var clock: Int64
        package var role: String
        package var isSuperuser: Bool
        /// Row-level security doesn't apply to the role.
        package var bypassesRowSecurity: Bool
        /// The role owns nudged's tables.
        package var ownsTables: Bool
        /// Schema `nudged` exists.
        package var hasSchema: Bool
        /// The role may use schema `nudged`.
        package var mayUseSchema: Bool
        package var cleansUp: Bool
        /// The citus extension exists.
        package var isDistributed: Bool
        /// Of the database, such as UTF8.
        package var encoding: String
        /// `session_replication_role` of this session is not `replica`.
        package var firesTriggers: Bool
        /// Roles that may create functions in schemas which the app's statements search.
        package var creators: [Creator]
    }

    /// A role that may create functions and tables in a schema, beside the owners and superusers.
    package struct Creator: Sendable, Equatable {
        package var schema: String
        /// nil: everybody (`PUBLIC`).
        package var role: String?
    }

    /// A right, and whether the role has it.
    package struct Right: Sendable, Equatable {
        package var right: DaemonRight
        package var exists: Bool
        package var isGranted: Bool
    }

    /// One of the app's tables, or its view `nudged.device`, that nudged's functions write.
    package struct Written: Sendable, Equatable {
        package var name: String
        /// The role nudged_writer exists.
        package var hasWriter: Bool
        /// How many of the functions nudged_writer owns.
        package var owned: Int
        /// The functions that other roles own.
        package var foreign: [String]
        package var owners: [String]
        /// Privileges that nudged_writer lacks.
        package var lacking: [String]
        /// Row-level security hides rows from nudged_writer.
        package var isHidden: Bool
    }

    /// Users who are in the app's views and not in nudged.person.
    package struct Unseen: Sendable, Equatable {
        /// The most users that are looked at.
        package static let most = 5_000

        package var users: Int
        package var isAll: Bool
    }

    /// Names of zones that profiles and reminders have.
    package struct UsedZones: Sendable {
        /// The most users and the most reminders that are looked at.
        package static let most = 10_000

        /// Each with how often it is used, the most frequent first.
        package var names: [(name: String, count: Int)]
    }

    /// Messages that wait, by their users' zones.
    package struct WaitingZones: Sendable {
        /// The most messages that are looked at.
        package static let most = 10_000

        package var messages: [(preferences: String?, profile: String?, count: Int)]
    }

    /// A view through which the daemon reads the app.
    package enum View: String, Sendable, CaseIterable {
        /// Users who could be sent something.
        case recipient
        /// Their devices.
        case device
        /// The members of a subject, for reminders to everyone.
        case subjectMember = "subject_member"
    }

    package struct Column: Sendable, Equatable {
        /// In schema `nudged`.
        package var view: String
        package var name: String
        /// As `format_type` writes it, such as `timestamp with time zone`.
        package var type: String
    }

    package struct AppTable: Sendable, Equatable {
        /// In schema `public`.
        package var name: String
        package var exists: Bool
        package var hasRowSecurity: Bool
        /// Whether an index begins with `user_id`.
        package var hasUserIndex: Bool
        /// Those of Supabase's roles `anon` and `authenticated` that may read it.
        package var readers: [String]
        /// Whether nudged's views read it.
        package var isRead: Bool
    }

    /// The live and dead rows of a table.
    package struct Bloat: Sendable, Equatable {
        /// In schema `nudged`.
        package var table: String
        /// By the server's estimate.
        package var live: Int64
        /// By the server's estimate.
        package var dead: Int64
        /// Autovacuum is off for this table.
        package var isNeverCleaned: Bool
    }

    /// What keeps dead rows from being cleaned up.
    package struct Holders: Sendable, Equatable {
        /// The session with the oldest snapshot or transaction.
        package struct Session: Sendable, Equatable {
            package var processID: Int32
            /// nil: a process of the server itself.
            package var role: String?
            /// How long its transaction has run; nil: this role may not see that.
            package var seconds: Int64?
            /// How many transactions began since.
            package var age: Int64
        }

        package var session: Session?
        /// Prepared transactions that wait for their second phase.
        package var prepared: Int64
        /// How old the oldest of them is.
        package var preparedSeconds: Int64?
        /// Replication slots that nobody reads from.
        package var idleSlots: [String]
    }
}
