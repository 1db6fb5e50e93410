import Glibc

/// A private PostgreSQL server in a temporary folder, for tests, benchmarks and the demo. It listens on a Unix socket
/// in that folder (closed to others), and on 127.0.0.1 if it has a password.
///
/// It ends with this process, however that ends (`ServerHost`). Every call blocks: a start takes a second, a database
/// tens of milliseconds.
package final class LocalCluster: Sendable {
    package enum StopMode: Sendable {
        /// SIGQUIT: at once, with recovery at the next start. The folder is usually removed anyway.
        case immediate
        case fast
        /// SIGKILL to the postmaster alone, like a crash. Its children end by themselves.
        case kill
    }

    /// The TCP port on 127.0.0.1; nil without a password.
    package let port: Int?
    package let options: Options
    let programs: ServerPrograms
    let host: ServerHost
    private let sessions = SuperuserSessions()

    package convenience init(_ options: Options = Options()) throws(LocalPostgresError) {
        try self.init(options) { cluster throws(LocalPostgresError) in try cluster.initialise() }
    }

    init(_ options: Options, filling: (LocalCluster) throws(LocalPostgresError) -> Void) throws(LocalPostgresError) {
        self.options = options
        programs = try ServerPrograms.find()
        port = options.password == nil ? nil : try FreePort.find()
        host = try ServerHost(inMemory: !options.fsync)
        do throws(LocalPostgresError) {
            try filling(self)
            try start()
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    package var folder: String { host.folder }
    package var serverID: Int32? { host.server?.id }
    package var log: String { host.log }

    /// A libpq URI through the Unix socket, by default as superuser `postgres`. No password is needed.
    package func url(database: String = "postgres", user: String = "postgres") -> String {
        let path = Self.percentEncoded(folder)
        return "postgresql://\(user)@\(path):\(port ?? 5432)/\(database)"
    }

    /// Encodes everything but the unreserved characters (RFC 3986, section 2.3).
    static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch UnicodeScalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": String(UnicodeScalar(byte))
            default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// A libpq URI over TCP with a password (scram-sha-256), by default the superuser's.
    package func tcpURL(database: String = "postgres", user: String = "postgres", password: String? = nil) -> String {
        "postgresql://\(user):\(password ?? options.password ?? "")@127.0.0.1:\(port ?? 0)/\(database)"
    }

    /// Makes a database as a copy of `template`. Nobody may be connected to the template.
    package func createDatabase(named name: String, template: String = "template1") throws(LocalPostgresError) {
        sessions.close(of: template)
        try sql("create database \"\(name)\" template \"\(template)\"")
    }

    package func dropDatabase(named name: String) throws(LocalPostgresError) {
        sessions.close(of: name)
        try sql("drop database if exists \"\(name)\" with (force)")
    }

    /// Runs SQL as superuser (see `SuperuserSessions`). Returns the rows: one line each, columns separated by `|`.
    @discardableResult
    package func sql(
        _ script: String,
        database: String = "postgres",
        within time: Duration = .seconds(600)
    ) throws(LocalPostgresError) -> String {
        let url = url(database: database) + "?application_name=superuser"
        return try sessions.run(script, in: database, url: url, within: time)
    }

    package func start() throws(LocalPostgresError) {
        let processFile = folder + "/data/postmaster.pid"
        unlink(processFile)
        let command = host.account.command(programs.path("postgres")) + options.arguments(folder: folder, port: port)
        try host.start(command, output: .file(folder + "/log")) { server in
            // Like pg_ctl: the last line is `ready` when connections are accepted.
            let lines = TextFile.read(processFile)?.split(separator: "\n") ?? []
            return lines.first == "\(server.id)" && lines.last?.hasPrefix("ready") == true
        }
    }

    package func halt(_ mode: StopMode = .immediate) {
        sessions.close()
        switch mode {
        case .immediate: host.halt(SIGQUIT, within: .seconds(15))
        case .fast: host.halt(SIGINT, within: .seconds(30))
        case .kill: host.halt(SIGKILL)
        }
    }

    /// Stops the server at once and removes the folder. May be called again.
    package func stop() {
        halt()
        host.stop()
    }

    private func initialise() throws(LocalPostgresError) {
        var arguments = [
            "-D", folder + "/data", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
            "--no-instructions", "--auth-local=trust", "--auth-host=scram-sha-256",
        ]
        if let password = options.password {
            arguments.append("--pwfile=" + (try host.install("password", password + "\n")))
        }
        try ChildProcess.run(host.account.command(programs.path("initdb")) + arguments, directory: folder)
    }
}

extension LocalCluster {
    /// The tables of an existing app before nudged is installed. The migrations find them, and add only what is
    /// missing.
    package static let appTables = """
        create table public.context_profiles (
            user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean not null default true, timezone text
        );
        create table public.push_tokens (
            id uuid primary key default gen_random_uuid(), user_id uuid not null, device_token text not null,
            platform text not null default 'ios', created_at timestamptz not null default now(),
            updated_at timestamptz not null default now(), unique (user_id, device_token)
        );
        """

    package struct Options: Sendable {
        /// Whether commits wait for the disk. Off for tests, on for benchmarks of durable work.
        package var fsync: Bool
        package var maxConnections: Int
        /// The superuser's password. With one, the server also listens on 127.0.0.1 at a free port, with scram-sha-256.
        package var password: String?
        package var settings: [String: String]

        package init(
            fsync: Bool = false,
            maxConnections: Int = 100,
            password: String? = nil,
            settings: [String: String] = [:]
        ) {
            (self.fsync, self.maxConnections) = (fsync, maxConnections)
            (self.password, self.settings) = (password, settings)
        }

        func arguments(folder: String, port: Int?) -> [String] {
            var all = [
                "unix_socket_directories": folder, "listen_addresses": port == nil ? "" : "127.0.0.1",
                "max_connections": String(maxConnections), "fsync": fsync ? "on" : "off",
                "synchronous_commit": fsync ? "on" : "off", "full_page_writes": fsync ? "on" : "off",
                "lc_messages": "C", "timezone": "UTC", "log_timezone": "UTC",
            ]
            // Compiling a test's short statements costs more than running them. Its files may lie in memory, and shared
            // memory is among them: so a killed server leaves nothing.
            if !fsync {
                all.merge(["jit": "off", "max_wal_size": "256MB", "dynamic_shared_memory_type": "mmap"]) { $1 }
            }
            // The socket's name contains it too.
            all["port"] = String(port ?? 5432)
            all.merge(settings) { $1 }
            return ["-D", folder + "/data"]
                + all.sorted { $0.key < $1.key }.flatMap { ["-c", "\($0.key)=\($0.value)"] }
        }
    }
}
