/// The fields of a server's error or notice (manual, 55.8). It decides which of them may be repeated.
///
/// A message can quote a parameter or a row:
/// - `invalid input syntax for type uuid: "…"`
/// - `relation "…" does not exist`, for a text cast to regclass
/// - `syntax error at or near "…" of jsonpath input`
/// - any text of RAISE
///
/// DETAIL, HINT and CONTEXT can too, and are never read. So a message is repeated only if its kind can't quote.
struct ServerReport: Equatable {
    var severity: String
    var sqlState: String
    var message: String
    /// Only the parser and the analyser set it. Then the message is about the statement's text, which holds no
    /// parameter.
    var hasPosition = false
    /// Set if a function was running. Its dynamic SQL can hold values.
    var hasContext = false
    /// The function in the server's source. RAISE, which can choose message, names and SQLSTATE freely, has its own.
    var sourceFunction = ""
    var schema: String?
    var table: String?
    var column: String?
    var dataType: String?
    var constraint: String?

    private var isRaised: Bool { sourceFunction == "exec_stmt_raise" }

    /// The message, if it can't hold a value.
    var disclosedMessage: String? {
        guard !hasContext, !isRaised, sqlState.utf8.count == 5 else { return nil }
        let allowed =
            switch sqlState.prefix(2) {
            // About the session: names of roles, databases and hosts, which are configuration.
            case "28", "3D": true
            // Fixed texts. One that quotes something is left out: class 53 can quote a file name, which is a parameter
            // of pg_read_file.
            case "08", "25", "40", "53", "55", "57": !message.contains("\"")
            // With a position, see `hasPosition`. The other form names an object that exists, so it isn't user data.
            case "42": hasPosition || (sqlState == "42501" && message.hasPrefix("permission denied for "))
            default: false
            }
        return allowed ? message : nil
    }

    /// The names of the schema's objects that the report is about.
    var object: String? {
        guard !isRaised else { return nil }
        var parts: [String] = []
        if let constraint { parts.append("constraint \(constraint)") }
        if let table { parts.append("table " + (schema.map { "\($0)." } ?? "") + table) }
        if let column { parts.append("column \(column)") }
        if let dataType { parts.append("type \(dataType)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    /// The report as an error of the statement called `name`.
    func error(_ code: PostgresError.Code, statement name: String?) -> PostgresError {
        PostgresError(code, sqlState: sqlState, statement: name, object: object, detail: disclosedMessage)
    }
}
