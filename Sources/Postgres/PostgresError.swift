/// What went wrong with PostgreSQL. It never holds a parameter, a row's value or a password: `ServerReport` says which of
/// the server's words may be repeated.
public struct PostgresError: Error, Sendable, Equatable {
    /// The kind of failure, by which a caller decides.
    public enum Code: Sendable, Equatable {
        /// No connection could be made; `sqlState` says why where the server itself refused.
        case connectionFailed
        /// The connection broke while a statement was under way: it may or may not have been committed.
        case connectionLost
        /// The server didn't answer in time, and the connection was closed: it may or may not have been committed.
        case timedOut
        /// The connection had been closed or lost before; nothing was sent.
        case notConnected
        /// The server refused the statement; see `sqlState`. Nothing of its transaction was committed.
        case refusedByServer
        /// COMMIT was answered by a rollback: an earlier error in the transaction had been swallowed.
        case rolledBack
        /// The database URL is malformed, or something in it isn't supported.
        case invalidURL
        /// The URL would send data to another host without a verified TLS connection.
        case insecure
        /// A parameter can't be expressed in PostgreSQL's format, or there are more than 65,535.
        case invalidParameter
        /// A result has another type, width, shape or a NULL where the reader doesn't expect it.
        case unexpectedResult
        /// The transaction that this call belongs to has ended.
        case transactionEnded
        /// The waiting task was cancelled.
        case cancelled
    }

    /// The kind of failure.
    public var code: Code
    /// Five characters, where the server gave one.
    public var sqlState: String?
    /// The name of the statement (`Statement.name`), never its text.
    public var statement: String?
    /// What the failure is about: constraint, table, column or data type, by name.
    public var object: String?
    /// Words that are known to hold no user data.
    public var detail: String?

    /// An error without context.
    public init(
        _ code: Code,
        sqlState: String? = nil,
        statement: String? = nil,
        object: String? = nil,
        detail: String? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.statement = statement
        self.object = object
        self.detail = detail
    }
}

extension PostgresError {
    /// PostgreSQL's name of `sqlState`'s condition (appendix A of its manual), or of its class.
    public var condition: String? { sqlState.map(SQLState.condition) }

    /// Whether the same call can succeed later without anybody mending anything.
    public var isTransient: Bool {
        if let sqlState { return SQLState.isTransient(sqlState) }
        switch code {
        case .connectionFailed, .connectionLost, .timedOut, .notConnected: return true
        default: return false
        }
    }

    /// Whether the server is there and gave the statement up for others' sake: a lock that was held too long, a time-out of its own, a deadlock. The
    /// connection stands, and the same call can succeed later.
    public var isHeldUp: Bool { code == .refusedByServer && (sqlState.map(SQLState.isHeldUp) ?? false) }

    /// The server has run out of something: disk, memory, connections (class 53).
    public var isExhausted: Bool { code == .refusedByServer && sqlState?.hasPrefix("53") == true }

    /// A commit's answer does not come: most likely it waits for a synchronous standby that is away.
    public var isCommitStuck: Bool { code == .timedOut && statement == Connection.commit.name }

    /// Whether the transaction may have been committed although it failed here.
    public var mayHaveCommitted: Bool {
        switch code {
        case .timedOut: true
        // A FATAL that names its reason came instead of the commit's answer; without one nothing is known. Both count
        // as unknown: the server may have committed and been told to stop before it could say so.
        case .connectionLost: true
        default: false
        }
    }

    /// What an operator can do about it, where that is known.
    public var mend: String? {
        if let sqlState, let mend = SQLState.mend(sqlState) { return mend }
        switch code {
        case .timedOut where isCommitStuck:
            return "start the standby, or take it off synchronous_standby_names and reload PostgreSQL"
        // libpq's words for target_session_attrs; the server itself gave no SQLSTATE.
        case .connectionFailed where detail?.hasSuffix("session is read-only") ?? false:
            return
                "promote the standby, or end the read-only mode; nudged tries all hosts of database.url again by itself"
        case .connectionFailed where sqlState == nil:
            return "check that PostgreSQL runs and that host and port in database.url (DATABASE_URL) are right"
        case .invalidURL:
            return "write database.url (DATABASE_URL) as postgresql://user:password@host:5432/name?sslmode=verify-full,"
                + " and percent-encode other characters than letters, digits and -._~ in user and password"
        case .insecure:
            return "add sslmode=verify-full (and sslrootcert=FILE for a private authority; FILE may be"
                + " /etc/ssl/certs/ca-certificates.crt) to database.url, or allow it by the explicit key"
        default: return nil
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// One line: what failed, where, why, and the mend.
    public var description: String {
        var text = "PostgreSQL: \(Self.words(code))"
        if let statement { text += " in \(statement)" }
        if let sqlState { text += ": \(sqlState) \(SQLState.condition(sqlState))" }
        if let object { text += " (\(object))" }
        if let detail { text += ": \(detail)" }
        if let mend { text += "; \(mend)" }
        return text
    }

    private static func words(_ code: Code) -> String {
        switch code {
        case .connectionFailed: "connecting failed"
        case .connectionLost: "the connection was lost"
        case .timedOut: "no answer in time"
        case .notConnected: "not connected"
        case .refusedByServer: "refused by the server"
        case .rolledBack: "the transaction was rolled back"
        case .invalidURL: "the database URL is invalid"
        case .insecure: "the database URL is insecure"
        case .invalidParameter: "a parameter can't be expressed"
        case .unexpectedResult: "unexpected result"
        case .transactionEnded: "the transaction has ended"
        case .cancelled: "cancelled"
        }
    }
}
