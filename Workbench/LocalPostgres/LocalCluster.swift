import Glibc
import Synchronization

/// A private PostgreSQL server in a temporary folder, for tests, benchmarks and the demo. It listens on a Unix socket in
/// that folder (mode 0700), and on 127.0.0.1 where asked to.
///
/// It ends with this process whatever ends that: `Watchdog` stops the server and removes the folder once our end of a pipe
/// is closed, which the kernel does even after SIGKILL. (PR_SET_PDEATHSIG wouldn't do: it is bound to the thread that
/// spawned, and Dispatch ends its threads when they idle.) Everything here blocks: a second to start, and tens of
/// milliseconds for a database.
public final class LocalCluster: Sendable {
    /// How a server is stopped.
    public enum StopMode: Sendable {
        /// SIGQUIT: at once, with recovery at the next start. The default, as the folder goes anyway.
        case immediate
        /// SIGINT: sessions are ended, then a checkpoint.
        case fast
        /// SIGKILL to the postmaster alone; its children end by themselves. As a crash.
        case kill
    }

    private struct State {
        var server: ChildProcess?
        var isStopped = false
    }

    /// The temporary folder; the socket lies in it.
    public let folder: String
    /// The TCP port on 127.0.0.1, where one was asked for.
    public let port: Int?
    /// What the cluster was started with.
    public let options: Options
    let programs: ServerPrograms
    let account: ServerAccount
    private let watchdog: Watchdog
    private let state = Mutex(State())

    /// Makes a cluster and starts its server.
    public convenience init(_ options: Options = Options()) throws(LocalPostgresError) {
        try self.init(options) { cluster throws(LocalPostgresError) in try cluster.initialise() }
    }

    /// Makes the folder, fills it with data by `filling`, and starts the server on it.
    init(
        _ options: Options,
        filling: (LocalCluster) throws(LocalPostgresError) -> Void
    ) throws(LocalPostgresError) {
        self.options = options
        programs = try ServerPrograms.find()
        account = try ServerAccount.current()
        folder = try account.makeFolder()
        do throws(LocalPostgresError) {
            port = options.password == nil ? nil : try FreePort.find()
            watchdog = try Watchdog(folder: folder)
        } catch {
            ServerAccount.remove(folder)
            throw error
        }
        do throws(LocalPostgresError) {
            try filling(self)
            try start()
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    /// The server's process number; nil while it is stopped.
    public var serverID: Int32? { state.withLock { $0.server?.id } }

    /// The server's log so far.
    public var log: String { TextFile.read(folder + "/log") ?? "" }

    /// A libpq URI through the Unix socket, as superuser `postgres` unless another user is named; no password is needed.
    public func url(database: String = "postgres", user: String = "postgres") -> String {
        let path = Self.percentEncoded(folder)
        return "postgresql://\(user)@\(path):\(port ?? 5432)/\(database)"
    }

    /// RFC 3986, section 2.3: everything but the unreserved characters.
    static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            switch UnicodeScalar(byte) {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": String(UnicodeScalar(byte))
            default: (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
            }
        }.joined()
    }

    /// A libpq URI over TCP with a password (scram-sha-256): by default the superuser's own.
    public func tcpURL(database: String = "postgres", user: String = "postgres", password: String? = nil) -> String {
        "postgresql://\(user):\(password ?? options.password ?? "")@127.0.0.1:\(port ?? 0)/\(database)"
    }

    /// Makes a database, as a copy of `template`, to which nobody may be connected.
    public func createDatabase(named name: String, template: String = "template1") throws(LocalPostgresError) {
        try psql("create database \"\(name)\" template \"\(template)\"")
    }

    /// Drops a database, ending its sessions.
    public func dropDatabase(named name: String) throws(LocalPostgresError) {
        try psql("drop database if exists \"\(name)\" with (force)")
    }

    /// Runs SQL by psql, as superuser, and returns what it prints: rows by line, columns separated by `|`.
    @discardableResult
    public func psql(_ sql: String, database: String = "postgres") throws(LocalPostgresError) -> String {
        try ChildProcess.run(
            [programs.path("psql"), "-XAtq", "-v", "ON_ERROR_STOP=1", "-d", url(database: database), "-c", sql])
    }

    /// Writes a file that the server may read (mode 0600, its own): a TLS key for example. Returns its path.
    public func install(file name: String, contents: String) throws(LocalPostgresError) -> String {
        let path = "\(folder)/\(name)"
        try TextFile.write(path, contents)
        try account.own(path)
        return path
    }

    /// Starts the server again after `halt`.
    public func start() throws(LocalPostgresError) {
        guard !state.withLock({ $0.isStopped }) else { throw LocalPostgresError(.stopped, folder) }
        watchdog.tell("starting")
        unlink(folder + "/data/postmaster.pid")
        let server = try ChildProcess(
            account.command(programs.path("postgres")) + options.arguments(folder: folder, port: port),
            directory: folder,
            output: .file(folder + "/log"),
            error: .file(folder + "/log"),
            ownSession: true
        )
        watchdog.tell(String(server.id))
        state.withLock { $0.server = server }
        try awaitReady(server)
    }

    /// Stops the server and keeps the folder.
    public func halt(_ mode: StopMode = .immediate) {
        guard let server = state.withLock({ $0.server }) else { return }
        switch mode {
        case .immediate: server.end(SIGQUIT, within: .seconds(10))
        case .fast: server.end(SIGINT, within: .seconds(30))
        case .kill: server.end(SIGKILL)
        }
        state.withLock { if $0.server === server { $0.server = nil } }
        watchdog.tell("0")
    }

    /// Stops the server and starts it again on the same data, socket and port.
    public func restart(_ mode: StopMode = .immediate) throws(LocalPostgresError) {
        halt(mode)
        try start()
    }

    /// Stops the server and removes the folder. Idempotent; quick by default.
    public func stop(_ mode: StopMode = .immediate) {
        let isFirst = state.withLock { state in
            defer { state.isStopped = true }
            return !state.isStopped
        }
        guard isFirst else { return }
        halt(mode)
        watchdog.dismiss()
        ServerAccount.remove(folder)
    }

    private func initialise() throws(LocalPostgresError) {
        var arguments = [
            "-D", folder + "/data", "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync",
            "--no-instructions",
            "--auth-local=trust", "--auth-host=scram-sha-256",
        ]
        if let password = options.password {
            arguments.append("--pwfile=" + (try install(file: "password", contents: password + "\n")))
        }
        try ChildProcess.run(account.command(programs.path("initdb")) + arguments, directory: folder)
    }

    /// As pg_ctl does: the last line of postmaster.pid says `ready` once connections are let in.
    private func awaitReady(_ server: ChildProcess) throws(LocalPostgresError) {
        let limit = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < limit {
            let lines = TextFile.read(folder + "/data/postmaster.pid")?.split(separator: "\n") ?? []
            if lines.first == "\(server.id)", lines.last?.hasPrefix("ready") == true { return }
            // This is the pause too: it returns early only where the server ended.
            if let exit = server.wait(.milliseconds(5)) {
                throw LocalPostgresError(.programFailed, "postgres: \(exit)\n\(log)")
            }
        }
        server.end(SIGKILL)
        throw LocalPostgresError(.timedOut, "postgres isn't ready\n\(log)")
    }
}
