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
