import CLibPQ

/// The fields of a server's error (manual, 55.8). It decides which of them may be repeated.
///
/// A message can quote a parameter or a row:
/// - `invalid input syntax for type uuid: "…"`
/// - `relation "…" does not exist`, for a text cast to regclass
/// - `syntax error at or near "…" of jsonpath input`
/// - any text of RAISE
///
/// DETAIL, HINT and CONTEXT can too, and are never read. So a message is repeated only if its kind can't quote.
struct ServerReport: Equatable {
    var sqlState: String
    var message: String
    /// Only the parser and the analyser set it. Then the message is about the statement's text, without parameters.
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
            // Fixed texts. One that quotes something is left out: class 53 can quote a parameter of pg_read_file.
            case "08", "25", "40", "53", "55", "57": !message.contains("\"")
            // With a position, see `hasPosition`. The other form names an object that exists, so it isn't user data.
            case "42": hasPosition || (sqlState == "42501" && message.hasPrefix("permission denied for "))
            default: false
            }
        return allowed ? message : nil
    }

    var object: String? {
        guard !isRaised else { return nil }
        var parts: [String] = []
        if let constraint { parts.append("constraint \(constraint)") }
        if let table { parts.append("table " + (schema.map { "\($0)." } ?? "") + table) }
        if let column { parts.append("column \(column)") }
        if let dataType { parts.append("type \(dataType)") }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    func error(_ code: PostgresError.Code, statement name: String?) -> PostgresError {
        PostgresError(code, sqlState: sqlState, statement: name, object: object, detail: disclosedMessage)
    }
}

extension ServerReport {
    /// Reads the fields of libpq's result. DETAIL, HINT and CONTEXT's text can quote values, so they are not read.
    init(_ result: OpaquePointer) {
        func field(_ code: Character) -> String? {
            guard let ascii = code.asciiValue, let text = PQresultErrorField(result, Int32(ascii)) else { return nil }
            return String(cString: text)
        }
        // The letters are PG_DIAG_…, character macros that Swift doesn't import (manual, 55.8).
        sqlState = field("C") ?? ""
        message = field("M") ?? ""
        hasPosition = field("P") != nil && field("q") == nil
        hasContext = field("W") != nil
        sourceFunction = field("R") ?? ""
        schema = field("s")
        table = field("t")
        column = field("c")
        dataType = field("d")
        constraint = field("n")
    }
}

extension PostgresError {
    /// Reads libpq's message about a failed connection. libpq gives no other source for it.
    ///
    /// libpq's own messages name host, address, port, user and database, but never the password. The server's have
    /// class 28, 3D, 53, 57 or 08. So the first line may be shown.
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
