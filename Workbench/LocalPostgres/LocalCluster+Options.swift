extension LocalCluster {
    /// Options of a cluster.
    public struct Options: Sendable {
        /// Whether commits wait for the disk. Off for tests, on for benchmarks of durable work.
        public var fsync: Bool
        /// `max_connections`.
        public var maxConnections: Int
        /// The superuser's password. With one, the server also listens on 127.0.0.1 at a free port, with scram-sha-256.
        public var password: String?
        /// Further settings of postgresql.conf, which take precedence.
        public var settings: [String: String]

        /// The defaults are for tests.
        public init(
            fsync: Bool = false,
            maxConnections: Int = 100,
            password: String? = nil,
            settings: [String: String] = [:]
        ) {
            self.fsync = fsync
            self.maxConnections = maxConnections
            self.password = password
            self.settings = settings
        }

        func arguments(folder: String, port: Int?) -> [String] {
            var all = [
                "unix_socket_directories": folder,
                "listen_addresses": port == nil ? "" : "127.0.0.1",
                "max_connections": String(maxConnections),
                "fsync": fsync ? "on" : "off",
                "synchronous_commit": fsync ? "on" : "off",
                "full_page_writes": fsync ? "on" : "off",
                "lc_messages": "C",
                "timezone": "UTC",
                "log_timezone": "UTC",
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
