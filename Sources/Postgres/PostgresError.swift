import CLibPQ

/// A failure of PostgreSQL or its connection. It never holds a parameter, a row's value or a password.
/// `init(_:statement:reading:)` decides which of the server's messages it may repeat.
public struct PostgresError: Error, Sendable, Equatable {
    /// The raw value says it to a person.
    public enum Code: String, Sendable {
        /// No connection could be made. `sqlState` gives the reason if the server itself refused.
        case connectionFailed = "connecting failed"
        /// The connection broke during a statement. The statement may or may not be committed.
        case connectionLost = "the connection was lost"
        /// The server didn't answer in time, and the connection was closed. The statement may or may not be committed.
        case timedOut = "no answer in time"
        /// The connection was closed or lost before. Nothing was sent.
        case notConnected = "not connected"
        /// The server refused the statement, see `sqlState`. Nothing of its transaction was committed.
        case refusedByServer = "refused by the server"
        /// The server answered COMMIT with a rollback, because an earlier error in the transaction was ignored.
        case rolledBack = "the transaction was rolled back"
        /// The database URL is malformed, or something in it isn't supported.
        case invalidURL = "the database URL is invalid"
        /// The URL would send data to another host without a verified TLS connection.
        case insecure = "the database URL is insecure"
        /// A parameter can't be expressed in PostgreSQL's format, or there are more than 65,535.
        case invalidParameter = "a parameter can't be expressed"
        /// A result has another type, width or shape than the reader expects, or an unexpected NULL.
        case unexpectedResult = "unexpected result"
        case transactionEnded = "the transaction has ended"
        case cancelled
    }

    public var code: Code
    /// The SQLSTATE: five characters, if the server gave one.
    public var sqlState: String?
    /// The name of the statement (`Statement.name`), never its text.
    public var statement: String?
    /// A constraint, table, column or data type; for a failed connection user, host and database.
    public var object: String?
    /// A text that is known to hold no user data.
    public var detail: String?

    public init(
        _ code: Code,
        sqlState: String? = nil,
        statement: String? = nil,
        object: String? = nil,
        detail: String? = nil
    ) {
        (self.code, self.sqlState, self.statement) = (code, sqlState, statement)
        (self.object, self.detail) = (object, detail)
    }

    /// PostgreSQL's name for the condition of `sqlState` (appendix A of its manual), or for its class.
    public var condition: String? { sqlState.map(SQLState.condition) }

    public var isTransient: Bool {
        if let state = sqlState {
            // Connection exceptions, insufficient resources.
            return state.hasPrefix("08") || state.hasPrefix("53") || SQLState.heldUp.contains(state)
                || SQLState.passing.contains(state)
        }
        return [.connectionFailed, .connectionLost, .timedOut, .notConnected].contains(code)
    }

    /// Whether the server gave the statement up because of other work: a lock that was held too long, a time-out, a
    /// deadlock. The connection stays usable, and the same call can succeed later.
    public var isHeldUp: Bool { code == .refusedByServer && (sqlState.map(SQLState.heldUp.contains) ?? false) }

    /// Whether the server has run out of something: disk, memory, connections (class 53).
    public var isExhausted: Bool { code == .refusedByServer && sqlState?.hasPrefix("53") == true }

    /// Whether the server answered, but refuses because the schema lacks a table, a column, a function or a right.
    public var isAboutSchema: Bool {
        code == .refusedByServer && (sqlState.map { $0.hasPrefix("42") || $0.hasPrefix("3F") } ?? false)
    }

    /// Whether a commit got no answer. Most likely it waits for a synchronous standby that is down.
    public var isCommitStuck: Bool { code == .timedOut && statement == Connection.commit.name }

    static let unescapedAt = "the user or password contains an unescaped @"
    static let unescapedSlash = "the user or password contains an unescaped /"

    public var remedy: String? {
        if let sqlState, let remedy = SQLState.remedy(sqlState) { return remedy }
        switch code {
        case .timedOut where isCommitStuck:
            return "start the standby, or remove it from synchronous_standby_names and reload PostgreSQL"
        // libpq's text for target_session_attrs. The server itself gave no SQLSTATE.
        case .connectionFailed where detail?.hasSuffix("session is read-only") ?? false:
            return "promote the standby, or end the read-only mode; "
                + "nudged tries all hosts of database.url again by itself"
        case .connectionFailed where sqlState == nil:
            return "check that PostgreSQL runs and that host and port in database.url (DATABASE_URL) are right"
        case .invalidURL where detail == Self.unescapedAt: return "write %40 for every @ except the one before the host"
        case .invalidURL where detail == Self.unescapedSlash: return "write %2F for every / in user and password"
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
        let what = detail ?? condition ?? code.rawValue
        let text = sqlState.map { "\($0) \(what)" } ?? what
        return object.map { "\(text) (\($0))" } ?? text
    }

    public var description: String {
        var text = "PostgreSQL: \(code.rawValue)"
        if let statement { text += " in \(statement)" }
        if let sqlState { text += ": \(sqlState) \(SQLState.condition(sqlState))" }
        if let object { text += " (\(object))" }
        if let detail { text += ": \(detail)" }
        if let remedy { text += "; \(remedy)" }
        return text
    }
}

enum SQLState {
    static let heldUp: Set = [
        "40001", "40P01",  // serialization, deadlock
        "55006", "55P03",  // object in use, lock not available
        "57014",  // cancelled: the statement time-out
    ]

    /// The same statement can succeed later without any action.
    static let passing: Set = [
        "25006",  // read-only: a failover is under way, or the disk is full and an operator turned it on
        "25P03", "25P04",  // idle in transaction, transaction time-out
        "40003",  // unknown completion
        "57P01", "57P02", "57P03", "57P05",  // shutdown, crash, starting up, idle session time-out
        "58030",  // input or output error
    ]

    static func remedy(_ state: String) -> String? {
        switch state {
        case "28P01", "28000": "check user and password in database.url (DATABASE_URL), and pg_hba.conf on the server"
        case "3D000": "create the database, or correct its name in database.url (DATABASE_URL)"
        case "3F000", "42P01", "42703", "42883":
            "run nudged migrate; if nothing is pending, a view or function of schema nudged, "
                + "or something that it reads, was dropped or lacks a column: "
                + "create it again (docs/TABLES.md, \"The views\")"
        case "42501": "grant the role of database.url the missing right, or connect as the role that ran nudged migrate"
        case "53300": "raise max_connections or the role's CONNECTION LIMIT, or connect through a pooler"
        case "08P01":
            "if PgBouncer is in between, its log names the cause: set pool_mode = transaction, "
                + "remove options= from database.url, allow more server connections, or raise query_wait_timeout"
        case "53100": "free disk space on the database server"
        case "25006":
            "connect to the primary: add target_session_attrs=read-write to database.url, "
                + "or end the read-only mode (default_transaction_read_only)"
        case "55P03", "57014":
            "check in pg_stat_activity which sessions hold locks for long (pg_blocking_pids names them), "
                + "and whether the server is overloaded"
        case "57P05": "raise idle_session_timeout for this role"
        case "57P03": "wait: the server is starting up or shutting down"
        default: nil
        }
    }

    static func condition(_ state: String) -> String {
        names[state] ?? names[String(state.prefix(2))] ?? "unknown condition"
    }

    /// Conditions, then classes. Conditions that are named as their class are left out.
    private static let names = [
        "08001": "sqlclient_unable_to_establish_sqlconnection", "08003": "connection_does_not_exist",
        "08004": "sqlserver_rejected_establishment_of_sqlconnection", "08006": "connection_failure",
        "08P01": "protocol_violation", "22001": "string_data_right_truncation", "22003": "numeric_value_out_of_range",
        "22004": "null_value_not_allowed", "22007": "invalid_datetime_format", "22008": "datetime_field_overflow",
        "22012": "division_by_zero", "22021": "character_not_in_repertoire", "22023": "invalid_parameter_value",
        "22025": "invalid_escape_sequence", "2202E": "array_subscript_error", "22P02": "invalid_text_representation",
        "22P03": "invalid_binary_representation", "22P05": "untranslatable_character", "23001": "restrict_violation",
        "23502": "not_null_violation", "23503": "foreign_key_violation", "23505": "unique_violation",
        "23514": "check_violation", "23P01": "exclusion_violation", "25001": "active_sql_transaction",
        "25006": "read_only_sql_transaction", "25P01": "no_active_sql_transaction",
        "25P02": "in_failed_sql_transaction", "25P03": "idle_in_transaction_session_timeout",
        "28P01": "invalid_password", "40001": "serialization_failure",
        "40002": "transaction_integrity_constraint_violation", "40003": "statement_completion_unknown",
        "40P01": "deadlock_detected", "42501": "insufficient_privilege", "42601": "syntax_error",
        "42701": "duplicate_column", "42702": "ambiguous_column", "42703": "undefined_column",
        "42704": "undefined_object", "42710": "duplicate_object", "42723": "duplicate_function",
        "42725": "ambiguous_function", "42804": "datatype_mismatch", "42830": "invalid_foreign_key",
        "42846": "cannot_coerce", "42883": "undefined_function", "42P01": "undefined_table",
        "42P02": "undefined_parameter", "42P04": "duplicate_database", "42P06": "duplicate_schema",
        "42P07": "duplicate_table", "42P10": "invalid_column_reference", "42P18": "indeterminate_datatype",
        "53100": "disk_full", "53200": "out_of_memory", "53300": "too_many_connections",
        "53400": "configuration_limit_exceeded", "54001": "statement_too_complex", "55006": "object_in_use",
        "55P02": "cant_change_runtime_param", "55P03": "lock_not_available", "57014": "query_canceled",
        "57P01": "admin_shutdown", "57P02": "crash_shutdown", "57P03": "cannot_connect_now",
        "57P04": "database_dropped", "57P05": "idle_session_timeout", "58030": "io_error", "58P01": "undefined_file",
        "58P02": "duplicate_file", "P0001": "raise_exception", "P0002": "no_data_found", "P0003": "too_many_rows",
        "P0004": "assert_failure", "XX001": "data_corrupted", "XX002": "index_corrupted",
        "00": "successful_completion", "01": "warning", "02": "no_data", "08": "connection_exception",
        "0A": "feature_not_supported", "21": "cardinality_violation", "22": "data_exception",
        "23": "integrity_constraint_violation", "25": "invalid_transaction_state",
        "28": "invalid_authorization_specification", "3D": "invalid_catalog_name", "3F": "invalid_schema_name",
        "40": "transaction_rollback", "42": "syntax_error_or_access_rule_violation",
        "44": "with_check_option_violation", "53": "insufficient_resources", "54": "program_limit_exceeded",
        "55": "object_not_in_prerequisite_state", "57": "operator_intervention", "58": "system_error",
        "F0": "config_file_error", "P0": "plpgsql_error", "XX": "internal_error",
    ]
}

extension PostgresError {
    /// Reads the fields of a server's error (manual, 55.8), and decides which of them may be repeated.
    ///
    /// A message can quote a parameter or a row:
    /// - `invalid input syntax for type uuid: "…"`
    /// - `relation "…" does not exist`, for a text cast to regclass
    /// - `syntax error at or near "…" of jsonpath input`
    /// - any text of RAISE
    ///
    /// DETAIL, HINT and CONTEXT can too, and are never read. So a message is repeated only if its kind can't quote.
    init(_ code: Code, statement: String? = nil, reading result: OpaquePointer) {
        // The letters are PG_DIAG_…, character macros that Swift doesn't import.
        func field(_ letter: Character) -> String? {
            guard let ascii = letter.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
            return String(cString: text)
        }
        let (sqlState, message) = (field("C") ?? "", field("M") ?? "")
        // The function in the server's source. RAISE can choose message, names and SQLSTATE freely.
        if field("R") == "exec_stmt_raise" {
            self.init(code, sqlState: sqlState, statement: statement)
            return
        }
        // Only the parser and the analyser set it. Then the message is about the statement's text, without parameters.
        let hasPosition = field("P") != nil && field("q") == nil
        let isHarmless =
            switch sqlState.prefix(2) {
            // About the session: names of roles, databases and hosts, which are configuration.
            case "28", "3D": true
            // Fixed texts. One that quotes something is left out: class 53 can quote a parameter of pg_read_file.
            case "08", "25", "40", "53", "55", "57": !message.contains("\"")
            // With a position, see above. The other form names an object that exists: no user data.
            case "42": hasPosition || (sqlState == "42501" && message.hasPrefix("permission denied for "))
            default: false
            }
        // With a context, a function was running. Its dynamic SQL can hold values.
        let isShown = isHarmless && field("W") == nil && sqlState.utf8.count == 5
        let table = field("t").map { (field("s").map { "\($0)." } ?? "") + $0 }
        let names = [("constraint", field("n")), ("table", table), ("column", field("c")), ("type", field("d"))]
        let objects = names.compactMap { kind, name in name.map { "\(kind) \($0)" } }
        let object = objects.isEmpty ? nil : objects.joined(separator: ", ")
        self.init(code, sqlState: sqlState, statement: statement, object: object, detail: isShown ? message : nil)
    }

    /// Reads libpq's message about a failed connection; it gives no other source. It names host, address, port, user
    /// and database, but never the password. The server's has class 28, 3D, 53, 57 or 08. So the first line may be
    /// shown.
    init(connecting message: String) {
        let lines = message.split(separator: "\n")
        // Each address gives a line. The server's own is the most useful: `FATAL:  28P01: ` is before its text.
        for line in lines {
            let parts = line.split(separator: ":")
            for (severity, next) in zip(parts, parts.dropFirst())
            where severity.hasSuffix("FATAL") || severity.hasSuffix("ERROR") {
                let state = next.drop { $0 == " " }
                guard state.utf8.count == 5, state.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isUppercase) }) else {
                    continue
                }
                let text = line[state.endIndex...].drop { $0 == ":" || $0 == " " }
                self.init(.connectionFailed, sqlState: String(state), detail: text.isEmpty ? nil : String(text))
                return
            }
        }
        self.init(.connectionFailed, detail: lines.first.map(String.init))
    }
}
