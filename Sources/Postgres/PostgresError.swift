/// A failure of PostgreSQL or its connection. It never holds a parameter, a row's value or a password. `ServerReport`
/// decides which of the server's messages it may repeat.
public struct PostgresError: Error, Sendable, Equatable {
    /// The kind of failure, for the caller's decision.
    public enum Code: Sendable, Equatable {
        /// No connection could be made. `sqlState` gives the reason if the server itself refused.
        case connectionFailed
        /// The connection broke during a statement. The statement may or may not be committed.
        case connectionLost
        /// The server didn't answer in time, and the connection was closed. The statement may or may not be committed.
        case timedOut
        /// The connection was closed or lost before. Nothing was sent.
        case notConnected
        /// The server refused the statement, see `sqlState`. Nothing of its transaction was committed.
        case refusedByServer
        /// The server answered COMMIT with a rollback, because an earlier error in the transaction was ignored.
        case rolledBack
        /// The database URL is malformed, or something in it isn't supported.
        case invalidURL
        /// The URL would send data to another host without a verified TLS connection.
        case insecure
        /// A parameter can't be expressed in PostgreSQL's format, or there are more than 65,535.
        case invalidParameter
        /// A result has another type, width or shape than the reader expects, or an unexpected NULL.
        case unexpectedResult
        /// The transaction that this call belongs to has ended.
        case transactionEnded
        case cancelled
    }

    /// The kind of failure.
    public var code: Code
    /// The SQLSTATE: five characters, if the server gave one.
    public var sqlState: String?
    /// The name of the statement (`Statement.name`), never its text.
    public var statement: String?
    /// What the failure is about: the name of a constraint, table, column or data type; for a failed connection user,
    /// host and database.
    public var object: String?
    /// A text that is known to hold no user data.
    public var detail: String?

    /// An error with these values.
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
    /// PostgreSQL's name for the condition of `sqlState` (appendix A of its manual), or for its class.
    public var condition: String? { sqlState.map(SQLState.condition) }

    /// Whether the same call can succeed later without any action.
    public var isTransient: Bool {
        if let sqlState { return SQLState.isTransient(sqlState) }
        switch code {
        case .connectionFailed, .connectionLost, .timedOut, .notConnected: return true
        default: return false
        }
    }

    /// Whether the server gave the statement up because of other work: a lock that was held too long, a time-out, a
    /// deadlock. The connection stays usable, and the same call can succeed later.
    public var isHeldUp: Bool { code == .refusedByServer && (sqlState.map(SQLState.isHeldUp) ?? false) }

    /// Whether the server has run out of something: disk, memory, connections (class 53).
    public var isExhausted: Bool { code == .refusedByServer && sqlState?.hasPrefix("53") == true }

    /// Whether the server refuses a statement because of the schema: a table, a column, a function or a right is missing.
    /// The database answered.
    public var isAboutSchema: Bool {
        code == .refusedByServer && (sqlState.map { $0.hasPrefix("42") || $0.hasPrefix("3F") } ?? false)
    }

    /// Whether a commit got no answer. Most likely it waits for a synchronous standby that is down.
    public var isCommitStuck: Bool { code == .timedOut && statement == Connection.commit.name }

    /// Whether the transaction may have been committed although it failed here.
    public var mayHaveCommitted: Bool {
        switch code {
        case .timedOut: true
        // A FATAL with a reason can come instead of the commit's answer. Even then the server may have committed before
        // it had to stop.
        case .connectionLost: true
        default: false
        }
    }

    static let unescapedAt = "the user or password contains an unescaped @"
    static let unescapedSlash = "the user or password contains an unescaped /"

    /// What an operator can do about it, if known.
    public var remedy: String? {
        if let sqlState, let remedy = SQLState.remedy(sqlState) { return remedy }
        switch code {
        case .timedOut where isCommitStuck:
            return "start the standby, or remove it from synchronous_standby_names and reload PostgreSQL"
        // libpq's text for target_session_attrs. The server itself gave no SQLSTATE.
        case .connectionFailed where detail?.hasSuffix("session is read-only") ?? false:
            return
                "promote the standby, or end the read-only mode; nudged tries all hosts of database.url again by itself"
        case .connectionFailed where sqlState == nil:
            return "check that PostgreSQL runs and that host and port in database.url (DATABASE_URL) are right"
        case .invalidURL where detail == Self.unescapedAt:
            return "write %40 for every @ except the one before the host"
        case .invalidURL where detail == Self.unescapedSlash:
            return "write %2F for every / in user and password"
        case .invalidURL:
            return "write database.url (DATABASE_URL) as postgresql://user:password@host:5432/name?sslmode=verify-full,"
                + " and percent-encode other characters than letters, digits and -._~ in user and password"
        case .insecure:
            return "add sslmode=verify-full (and sslrootcert=FILE for a private authority; FILE may be"
                + " /etc/ssl/certs/ca-certificates.crt) to database.url, or set database.allowInsecure"
        default: return nil
        }
    }
}

extension PostgresError: CustomStringConvertible {
    /// What failed, without the statement and the remedy: `42P01 relation "nudged.recipient" does not exist`.
    public var cause: String {
        let what = detail ?? condition ?? Self.text(code)
        let text = sqlState.map { "\($0) \(what)" } ?? what
        return object.map { "\(text) (\($0))" } ?? text
    }

    /// One line: what failed, where, why, and the remedy.
    public var description: String {
        var text = "PostgreSQL: \(Self.text(code))"
        if let statement { text += " in \(statement)" }
        if let sqlState { text += ": \(sqlState) \(SQLState.condition(sqlState))" }
        if let object { text += " (\(object))" }
        if let detail { text += ": \(detail)" }
        if let remedy { text += "; \(remedy)" }
        return text
    }

    private static func text(_ code: Code) -> String {
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
