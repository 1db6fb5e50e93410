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

extension ConnectionConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// User, hosts, database and the degree of TLS.
    public var description: String {
        let hosts = attempts.map { keywords in
            let host = keywords["host"] ?? keywords["hostaddr"] ?? "the default socket"
            return host.hasPrefix("/") ? host : "\(host):\(keywords["port"] ?? "5432")"
        }
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
