/// Reads libpq's message about a failed connection. libpq gives no other source for it.
enum ConnectFailure {
    /// libpq's own messages name host, address, port, user and database, but never the password. The server's have
    /// class 28, 3D, 53, 57 or 08. So the first line may be shown.
    static func error(from message: String) -> PostgresError {
        let lines = message.split(separator: "\n").map(String.init)
        // A name with several addresses gives several lines. The server's own line is the most useful.
        for line in lines {
            for severity in ["FATAL:  ", "ERROR:  "] {
                guard let found = position(of: severity, in: line) else { continue }
                let rest = line[found...]
                let state = String(rest.prefix(5))
                guard state.utf8.count == 5, state.allSatisfy({ $0.isASCII && ($0.isNumber || $0.isUppercase) }) else {
                    continue
                }
                let text = rest.dropFirst(5).drop { $0 == ":" || $0 == " " }
                return PostgresError(.connectionFailed, sqlState: state, detail: text.isEmpty ? nil : String(text))
            }
        }
        return PostgresError(.connectionFailed, detail: lines.first)
    }

    /// The index after `needle` in `text`.
    private static func position(of needle: String, in text: String) -> String.Index? {
        var index = text.startIndex
        while index < text.endIndex {
            if text[index...].hasPrefix(needle) { return text.index(index, offsetBy: needle.count) }
            index = text.index(after: index)
        }
        return nil
    }
}
