import CLibPQ
import Glibc

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

    public var user: String { attempts.first?["user"] ?? "" }

    /// The database. Without a name in the URL it is the role's.
    public var database: String { attempts.first?["dbname"] ?? user }

    private var sessionKind: String { attempts.first?["target_session_attrs"] ?? "any" }

    /// Whether any server that accepts the connection will do, even a read-only one (`target_session_attrs` is any).
    public var takesAnyServer: Bool { sessionKind == "any" }

    /// Whether only a writable server is accepted (`target_session_attrs`).
    var wantsWritable: Bool { ["read-write", "primary"].contains(sessionKind) }

    /// How long to wait for a silent host before the next one is tried. Nil: until its time is over. Used only if every
    /// writable host is equally good. Otherwise the order says which one is wanted.
    var headStart: Duration? { attempts.count > 1 && wantsWritable ? .seconds(1) : nil }

    public struct Host: Sendable, Equatable {
        /// Name or address with port, or the folder of a socket.
        public let name: String
        public let isLocal: Bool
        public let sslMode: String
    }

    public var hosts: [Host] {
        Self.withoutRepetition(
            attempts.map { Host(name: Self.name($0), isLocal: Self.isLocal($0), sslMode: $0["sslmode"] ?? "prefer") }
        )
    }

    /// The names and addresses that connections go to, each once. Unix sockets are left out.
    public var targets: [String] {
        // libpq connects to `hostaddr` if both are given.
        let all = attempts.compactMap { $0["hostaddr"] ?? $0["host"] }
        return Self.withoutRepetition(all.filter { !$0.hasPrefix("/") && !$0.hasPrefix("@") })
    }

    private static func withoutRepetition<Value: Equatable>(_ all: [Value]) -> [Value] {
        all.enumerated().filter { all.firstIndex(of: $0.element) == $0.offset }.map(\.element)
    }

    static func target(_ keywords: [String: String], at hosts: String? = nil) -> String {
        let user = keywords["user"].map { "\($0)@" } ?? ""
        return "\(user)\(hosts ?? name(keywords))/\(keywords["dbname"] ?? "")"
    }

    private static func name(_ keywords: [String: String]) -> String {
        let host = keywords["host"] ?? keywords["hostaddr"] ?? "the default socket"
        return host.hasPrefix("/") ? host : "\(host):\(keywords["port"] ?? "5432")"
    }

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

extension ConnectionConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let hosts = attempts.map(Self.name).joined(separator: ",")
        let first = attempts.first ?? [:]
        return Self.target(first, at: hosts) + " sslmode=\(first["sslmode"] ?? "prefer")"
    }

    public var debugDescription: String { description }

    /// Hides the keywords, and so the password, from `dump` and reflecting loggers.
    public var customMirror: Mirror { Mirror(self, children: ["target": description]) }
}

extension ConnectionConfiguration {
    /// Reads a libpq URI (manual, 34.1.1.2). The environment's `PG…` variables supply what it omits.
    ///
    /// - Parameters:
    ///   - allowInsecure: Allows other hosts than this machine with less than `sslmode=verify-full`.
    ///   - applicationName: Shown in `pg_stat_activity`, unless the URL sets another name.
    ///   - connectTimeout: For each host, unless the URL has a `connect_timeout` (whole seconds).
    /// - Throws: `invalidURL` (without parts of the URL, because one may be the password), `insecure`.
    public static func parse(
        url: String,
        allowInsecure: Bool = false,
        applicationName: String = "nudged",
        connectTimeout: Duration = .seconds(10),
        statementTimeout: Duration = .seconds(30)
    ) throws(PostgresError) -> ConnectionConfiguration {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
            throw PostgresError(.invalidURL, detail: "it doesn't start with postgresql://")
        }
        guard !url.utf8.contains(0) else { throw PostgresError(.invalidURL, detail: "it contains U+0000") }
        try checkEscapes(url)
        let given = try keywords(of: url)
        if given["service"] != nil { throw PostgresError(.invalidURL, detail: "service files aren't supported") }
        var keywords = quickToNotice.merging(values(PQconndefaults())) { $1 }.merging(given) { $1 }
        keywords["service"] = nil
        keywords["client_encoding"] = "UTF8"
        keywords["application_name"] = keywords["application_name"] ?? applicationName
        // libpq tries Kerberos encryption before TLS. That would bypass verify-full.
        keywords["gssencmode"] = given["gssencmode"] ?? "disable"
        // libpq applies connect_timeout only in its blocking calls, so this module applies it.
        let seconds = keywords.removeValue(forKey: "connect_timeout").flatMap(Int64.init) ?? 0
        let attempts = try split(keywords)
        for attempt in attempts { try check(attempt, allowInsecure: allowInsecure) }
        return ConnectionConfiguration(
            connectTimeout: seconds > 0 ? .seconds(min(seconds, 3600)) : connectTimeout,
            statementTimeout: statementTimeout,
            attempts: inOrderOfPreference(attempts)
        )
    }

    /// A host that vanished is noticed after six seconds, not after the statement's time-out or libpq's two hours.
    private static let quickToNotice = [
        "keepalives_idle": "2", "keepalives_interval": "2", "keepalives_count": "2", "tcp_user_timeout": "6000",
    ]

    /// libpq ends user and password at the first `@`. If a `/` is before it, libpq finds none. It misreads the rest.
    private static func checkEscapes(_ url: String) throws(PostgresError) {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        let credentials = rest.prefix { $0 != "@" && $0 != "/" }
        let hasCredentials = rest[credentials.endIndex...].first == "@"
        let tail = hasCredentials ? rest[credentials.endIndex...].dropFirst() : rest
        // A parameter's value may hold an `@`, but not its name.
        let isStray = ["?", "="].contains { (end: Character) in tail.prefix { $0 != end }.contains("@") }
        guard isStray else { return }
        let detail = hasCredentials ? PostgresError.unescapedAt : PostgresError.unescapedSlash
        throw PostgresError(.invalidURL, detail: detail)
    }

    private static func keywords(of url: String) throws(PostgresError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        let options = PQconninfoParse(url, &message)
        if options == nil {
            // libpq quotes parts of the URL after the first quotation mark. One of them may be a part of the password.
            var text = message.map { String(String(cString: $0).prefix { $0 != "\"" && $0 != "\n" }) } ?? ""
            PQfreemem(message)
            while text.hasSuffix(" ") || text.hasSuffix(":") { text.removeLast() }
            throw PostgresError(.invalidURL, detail: text.isEmpty ? nil : text)
        }
        return values(options)
    }

    /// Reads libpq's list, which ends with an entry without a keyword, and frees it.
    private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
        defer { PQconninfoFree(options) }
        var found: [String: String] = [:]
        var next = options
        while let option = next?.pointee, let keyword = option.keyword {
            if let value = option.val, value.pointee != 0 { found[String(cString: keyword)] = String(cString: value) }
            next = next.map { $0 + 1 }
        }
        return found
    }

    /// One attempt for each host: libpq's non-blocking connect has no time-out after which it tries the next host.
    static func split(_ keywords: [String: String]) throws(PostgresError) -> [[String: String]] {
        func list(_ key: String) -> [String] {
            keywords[key].map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count, 1)
        guard [0, count].contains(hosts.count), [0, count].contains(addresses.count),
            [0, 1, count].contains(ports.count)
        else { throw PostgresError(.invalidURL, detail: "the numbers of hosts, addresses and ports differ") }
        let allPorts = ports.count == 1 ? Array(repeating: ports[0], count: count) : ports
        let lists = [("host", hosts), ("hostaddr", addresses), ("port", allPorts)]
        return (0..<count).map { index in
            var attempt = keywords
            for (key, list) in lists { attempt[key] = list.isEmpty || list[index].isEmpty ? nil : list[index] }
            return attempt
        }
    }

    /// `prefer-standby` means two rounds: standbys first, then any server.
    private static func inOrderOfPreference(_ attempts: [[String: String]]) -> [[String: String]] {
        guard attempts.first?["target_session_attrs"] == "prefer-standby" else { return attempts }
        return ["standby", "any"].flatMap { wanted in
            attempts.map { $0.merging(["target_session_attrs": wanted]) { $1 } }
        }
    }

    private static func check(_ attempt: [String: String], allowInsecure: Bool) throws(PostgresError) {
        let host = attempt["host"]
        if let host, !host.hasPrefix("/"), !host.hasPrefix("@") {
            // A password with an unescaped @ or / becomes a part of the host, and errors name hosts.
            let isName = host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-.:_%".contains($0)) }
            guard isName else { throw PostgresError(.invalidURL, detail: "the host is not a host name") }
        }
        if let port = attempt["port"], UInt16(port) ?? 0 == 0 {
            throw PostgresError(.invalidURL, detail: "the port is not a number from 1 to 65535")
        }
        let modes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
        let mode = attempt["sslmode"] ?? "prefer"
        guard modes.contains(mode) else {
            throw PostgresError(.invalidURL, detail: "sslmode must be one of \(modes.joined(separator: ", "))")
        }
        if !allowInsecure, !isLocal(attempt), mode != "verify-full" {
            throw PostgresError(.insecure, detail: "sslmode \(mode) is not enough for a host other than this machine")
        }
    }

    /// Whether this is a Unix socket or a loopback address. libpq connects to `hostaddr` if both are given.
    private static func isLocal(_ keywords: [String: String]) -> Bool {
        let address = keywords["hostaddr"]
        guard let target = address ?? keywords["host"] else { return true }
        if address == nil, target.hasPrefix("/") || target.hasPrefix("@") || target == "localhost" { return true }
        var four = in_addr()
        if inet_pton(AF_INET, target, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
        return target == "::1"
    }
}
