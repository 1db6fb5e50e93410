import Glibc

/// A private PgBouncer in front of a `LocalCluster`, for tests: on 127.0.0.1 at a free port, in a temporary folder,
/// never as root. Like the cluster, it ends with this process, however that ends.
package final class LocalPooler: Sendable {
    package enum Mode: String, Sendable, CaseIterable { case transaction, statement, session }

    package let port: Int
    private let password: String
    private let host: ServerHost

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
        port = try FreePort.find()
        host = try ServerHost(inMemory: true, processFile: "pid")
        do throws(LocalPostgresError) {
            _ = try host.install("users", "\"postgres\" \"\(password)\"\n")
            _ = try host.install("ini", text(cluster, mode, settings))
            try start()
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    package var log: String { host.log }

    package func url(database: String) -> String { "postgresql://postgres:\(password)@127.0.0.1:\(port)/\(database)" }

    /// Starts it again after `halt`, on the same port.
    package func start() throws(LocalPostgresError) {
        let ups = log.ranges(of: "process up").count
        try host.start(host.account.command(Self.program) + ["-q", host.folder + "/ini"], output: .null) { _ in
            log.ranges(of: "process up").count > ups
        }
    }

    /// Ends it at once (SIGTERM waits for no client), and keeps its folder.
    package func halt() {
        host.halt(SIGTERM)
        unlink(host.folder + "/pid")
    }

    package func stop() {
        halt()
        host.stop()
    }

    private func text(_ cluster: LocalCluster, _ mode: Mode, _ changes: [String: String]) -> String {
        var settings = [
            "listen_addr": "127.0.0.1", "listen_port": String(port), "unix_socket_dir": "",
            "auth_type": "scram-sha-256", "auth_file": host.folder + "/users", "pool_mode": mode.rawValue,
            "logfile": host.folder + "/log", "pidfile": host.folder + "/pid", "default_pool_size": "20",
        ]
        settings.merge(changes) { $1 }
        return "[databases]\n* = host=\(cluster.folder) port=\(cluster.port ?? 5432)\n[pgbouncer]\n"
            + settings.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)\n" }.joined()
    }
}
