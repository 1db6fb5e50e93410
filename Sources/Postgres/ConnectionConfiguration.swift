/// Where and how to connect, validated. Its description never holds the password.
public struct ConnectionConfiguration: Sendable, Equatable {
    /// How long one host of the URL has to let us in; with several hosts each has it.
    public var connectTimeout: Duration
    /// How long a statement or transaction has where the call names no other time.
    public var statementTimeout: Duration
    /// One list of libpq's keywords for each host, in the order in which they are tried.
    let attempts: [[String: String]]

    /// A configuration from libpq's keywords, which have been checked.
    init(attempts: [[String: String]], connectTimeout: Duration, statementTimeout: Duration) {
        self.attempts = attempts
        self.connectTimeout = connectTimeout
        self.statementTimeout = statementTimeout
    }
}

extension ConnectionConfiguration {
    /// Whether only a server will do that takes writes (`target_session_attrs`).
    var wantsWritable: Bool {
        ["read-write", "primary"].contains(attempts.first?["target_session_attrs"] ?? "any")
    }

    /// How long a silent host is waited for before the next is tried beside it; nil: until its time is up. Only where any writable host is as
    /// good as another: else the order says which one is wanted.
    var headStart: Duration? { attempts.count > 1 && wantsWritable ? .seconds(1) : nil }
}

extension ConnectionConfiguration {
    /// One host as it is tried.
    public struct Host: Sendable, Equatable {
        /// Name or address and port, or a socket's folder.
        public let name: String
        /// A Unix socket or a loopback address: nothing leaves this machine.
        public let isLocal: Bool
        /// libpq's `sslmode`.
        public let sslMode: String
    }

    /// The hosts of the URL, in its order, each once.
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

    /// Whether any server will do that lets us in, be it one that only reads (`target_session_attrs` is any).
    public var takesAnyServer: Bool { (attempts.first?["target_session_attrs"] ?? "any") == "any" }

    private static func name(_ keywords: [String: String]) -> String {
        let host = keywords["host"] ?? keywords["hostaddr"] ?? "the default socket"
        return host.hasPrefix("/") ? host : "\(host):\(keywords["port"] ?? "5432")"
    }
}

extension ConnectionConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// User, hosts, database and the degree of TLS.
    public var description: String {
        let hosts = attempts.map(Self.name)
        let first = attempts.first ?? [:]
        let user = first["user"].map { "\($0)@" } ?? ""
        return "\(user)\(hosts.joined(separator: ","))/\(first["dbname"] ?? "")"
            + " sslmode=\(first["sslmode"] ?? "prefer")"
    }

    /// As `description`.
    public var debugDescription: String { description }

    /// Hides the keywords, and with them the password, from `dump` and reflecting loggers.
    public var customMirror: Mirror { Mirror(self, children: ["target": description]) }
}
