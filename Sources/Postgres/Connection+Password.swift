import CLibPQ

extension Connection {
    /// A password as the server stores it (SCRAM-SHA-256), for `alter role … password`. The server's log then never
    /// holds the password itself.
    ///
    /// - Throws: `notConnected`; `unexpectedResult` if libpq has no memory or no random numbers.
    public func verifier(password: String, user: String) throws(PostgresError) -> String {
        try perform(leavingTransaction: false) { link throws(PostgresError) in
            guard let text = PQencryptPasswordConn(link.handle, password, user, "scram-sha-256") else {
                throw PostgresError(.unexpectedResult, statement: "password")
            }
            defer { PQfreemem(text) }
            return String(cString: text)
        }
    }
}

extension ConnectionConfiguration {
    public var user: String { attempts.first?["user"] ?? "" }

    /// The database. Without a name in the URL it is the role's.
    public var database: String { attempts.first?["dbname"] ?? user }

    /// A URL of the same hosts and database, with the same checks of the server, for another role. What the environment
    /// gave is in it. Of this role's secrets and options none is.
    public func url(user: String, password: String) -> String {
        func escaped(_ text: String) -> String {
            text.unicodeScalars.map { scalar in
                let isLetter = scalar.isASCII && scalar.properties.isAlphabetic
                if isLetter || "0123456789-._~/:,".unicodeScalars.contains(scalar) { return String(scalar) }
                return scalar.utf8.map { "%" + ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
            }.joined()
        }
        func list(_ key: String, or missing: String = "") -> String? {
            guard attempts.contains(where: { $0[key] != nil }) else { return nil }
            return attempts.map { $0[key] ?? missing }.joined(separator: ",")
        }
        let kept = [
            "sslmode", "sslrootcert", "sslcrl", "sslcrldir", "ssl_min_protocol_version", "target_session_attrs",
        ]
        var parameters = [("host", list("host")), ("hostaddr", list("hostaddr")), ("port", list("port", or: "5432"))]
        parameters += kept.map { ($0, attempts.first?[$0]) }
        var place = ""
        if attempts.count == 1, let host = attempts[0]["host"], !host.hasPrefix("/"), !host.hasPrefix("@") {
            place = (host.contains(":") ? "[\(host)]" : host) + (attempts[0]["port"].map { ":\($0)" } ?? "")
            parameters.removeAll { ["host", "port"].contains($0.0) }
        }
        let defaults = ["prefer", "any", "TLSv1.2"]
        let shown = parameters.compactMap { name, value in
            value.flatMap { defaults.contains($0) ? nil : "\(name)=\(escaped($0))" }
        }
        return "postgresql://\(escaped(user)):\(escaped(password))@\(place)/\(escaped(database))"
            + (shown.isEmpty ? "" : "?" + shown.joined(separator: "&"))
    }
}
