import CLibPQ

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
