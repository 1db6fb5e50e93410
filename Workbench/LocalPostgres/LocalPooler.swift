import Glibc
import Synchronization

/// A private PgBouncer in front of a `LocalCluster`, for tests: on 127.0.0.1 at a free port, in a temporary folder,
/// never as root. Like the cluster, it ends with this process, however that ends.
package final class LocalPooler: Sendable {
    package enum Mode: String, Sendable, CaseIterable { case transaction, statement, session }

    package let port: Int
    private let folder: String
    private let password: String
    private let account: ServerAccount
    private let watchdog: ServerWatchdog
    private let server = Mutex<ChildProcess?>(nil)

    private static let program = access("/usr/sbin/pgbouncer", X_OK) == 0 ? "/usr/sbin/pgbouncer" : "pgbouncer"

    package static var isInstalled: Bool {
        (try? ChildProcess.run([program, "--version"], within: .seconds(10))) != nil
    }

    /// - Parameter password: of `postgres` at the pooler (scram-sha-256), which reaches the cluster by its socket.
    package init(
        before cluster: LocalCluster,
        mode: Mode = .transaction,
        password: String,
        settings: [String: String] = [:]
    ) throws(LocalPostgresError) {
        self.password = password
        account = try ServerAccount.current()
        port = try FreePort.find()
        folder = try account.makeFolder(inMemory: true)
        watchdog = try ServerWatchdog(folder: folder, processFile: "pid")
        do throws(LocalPostgresError) {
            try write("users", "\"postgres\" \"\(password)\"\n")
            try write("ini", text(cluster, mode, settings))
            try start()
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    package var log: String { TextFile.read(folder + "/log") ?? "" }

    package func url(database: String) -> String {
        "postgresql://postgres:\(password)@127.0.0.1:\(port)/\(database)"
    }

    /// Starts it again after `halt`, on the same port.
    package func start() throws(LocalPostgresError) {
        watchdog.tell("starting")
        let ups = log.ranges(of: "process up").count
        let child = try ChildProcess(
            account.command(Self.program) + ["-q", folder + "/ini"],
            directory: folder,
            output: .null,
            error: .null,
            ownSession: true
        )
        watchdog.tell(String(child.id))
        server.withLock { $0 = child }
        let limit = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < limit {
            if log.ranges(of: "process up").count > ups { return }
            // This is also the pause. It returns early only if the pooler ended.
            if let exit = child.wait(.milliseconds(5)) {
                throw LocalPostgresError(.programFailed, "pgbouncer: \(exit)\n\(log)")
            }
        }
        throw LocalPostgresError(.timedOut, "pgbouncer isn't ready\n\(log)")
    }

    /// Ends it at once (SIGTERM waits for no client), and keeps its folder.
    package func halt() {
        guard let child = server.withLock({ $0 }) else { return }
        child.end(SIGTERM)
        server.withLock { if $0 === child { $0 = nil } }
        watchdog.tell("0")
        unlink(folder + "/pid")
    }

    package func stop() {
        halt()
        watchdog.dismiss()
        ServerAccount.remove(folder)
    }

    private func write(_ name: String, _ contents: String) throws(LocalPostgresError) {
        try TextFile.write("\(folder)/\(name)", contents)
        try account.own("\(folder)/\(name)")
    }

    private func text(_ cluster: LocalCluster, _ mode: Mode, _ changes: [String: String]) -> String {
        var settings = [
            "listen_addr": "127.0.0.1", "listen_port": String(port), "unix_socket_dir": "",
            "auth_type": "scram-sha-256", "auth_file": folder + "/users", "pool_mode": mode.rawValue,
            "logfile": folder + "/log", "pidfile": folder + "/pid", "default_pool_size": "20",
        ]
        settings.merge(changes) { $1 }
        return "[databases]\n* = host=\(cluster.folder) port=\(cluster.port ?? 5432)\n[pgbouncer]\n"
            + settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }.joined()
    }
}
