/// Where and how to connect, already validated. Its description never holds the password.
public struct ConnectionConfiguration: Sendable, Equatable {
    /// The time for one host of the URL to accept the connection. With several hosts, each has this time.
    public var connectTimeout: Duration
    /// The time for a statement or transaction if the call gives no other time.
    public var statementTimeout: Duration
    /// The schemas in which names without a schema are looked for. Roles of the database can create functions in
    /// others, which PostgreSQL may prefer to the built-in ones.
    public var searchPath = "pg_catalog, pg_temp"
    /// libpq's keywords for each host, in the order of the attempts.
    let attempts: [[String: String]]

    /// A configuration from libpq's keywords, which must be checked already.
    init(attempts: [[String: String]], connectTimeout: Duration, statementTimeout: Duration) {
        self.attempts = attempts
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
    }
}

extension ConnectionConfiguration {
    /// Whether only a writable server is accepted (`target_session_attrs`).
    var wantsWritable: Bool {
        ["read-write", "primary"].contains(attempts.first?["target_session_attrs"] ?? "any")
    }

    /// How long to wait for a silent host before the next one is tried too. Nil: until its time is over. Used only if
    /// every writable host is equally good. Otherwise the order says which one is wanted.
    var headStart: Duration? { attempts.count > 1 && wantsWritable ? .seconds(1) : nil }
}

extension ConnectionConfiguration {
    /// One host of the URL.
    public struct Host: Sendable, Equatable {
        /// Name or address with port, or the folder of a socket.
        public let name: String
        /// Whether it is a Unix socket or a loopback address.
        public let isLocal: Bool
        /// libpq's `sslmode`.
        public let sslMode: String
    }

    /// The hosts of the URL in its order, each once.
    public var hosts: [Host] {
        var found: [Host] = []
        for keywords in attempts {
            let host = Host(
                name: Self.name(keywords),
                isLocal: Self.isLocal(host: keywords["host"], address: keywords["hostaddr"]),
                sslMode: keywords["sslmode"] ?? "prefer"
            )
            if !found.contains(host) { found.append(host) }
        }
        return found
    }

    /// The names and addresses that connections go to, each once. Unix sockets are left out.
    public var targets: [String] {
        var found: [String] = []
        for keywords in attempts {
            // libpq connects to `hostaddr` if both are given.
            guard let target = keywords["hostaddr"] ?? keywords["host"], !target.hasPrefix("/"),
                !target.hasPrefix("@"), !found.contains(target)
            else { continue }
            found.append(target)
        }
        return found
    }

    /// Whether any server that accepts the connection will do, even a read-only one (`target_session_attrs` is any).
    public var takesAnyServer: Bool { (attempts.first?["target_session_attrs"] ?? "any") == "any" }

    /// User, host and database of one attempt.
    static func target(_ keywords: [String: String]) -> String {
        let user = keywords["user"].map { "\($0)@" } ?? ""
        return "\(user)\(name(keywords))/\(keywords["dbname"] ?? "")"
    }

    private static func name(_ keywords: [String: String]) -> String {
        let host = keywords["host"] ?? keywords["hostaddr"] ?? "the default socket"
        return host.hasPrefix("/") ? host : "\(host):\(keywords["port"] ?? "5432")"
    }
}

extension ConnectionConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// User, hosts, database and `sslmode`.
    public var description: String {
        let hosts = attempts.map(Self.name)
        let first = attempts.first ?? [:]
        let user = first["user"].map { "\($0)@" } ?? ""
        return "\(user)\(hosts.joined(separator: ","))/\(first["dbname"] ?? "")"
            + " sslmode=\(first["sslmode"] ?? "prefer")"
    }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// Hides the keywords, and so the password, from `dump` and reflecting loggers.
    public var customMirror: Mirror { Mirror(self, children: ["target": description]) }
}
