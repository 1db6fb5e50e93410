import Glibc

extension LocalCluster {
    /// Makes a cluster that follows another by streaming replication, from a base backup of it, and starts it as a hot standby.
    ///
    /// - Parameters:
    ///   - primary: runs, and goes on running.
    ///   - name: what it calls itself to the primary: its place in `synchronous_standby_names`.
    public convenience init(
        standbyOf primary: LocalCluster,
        _ options: Options = Options(),
        name: String = "standby"
    ) throws(LocalPostgresError) {
        var options = options
        // A standby with room for fewer than its primary refuses to start.
        options.maxConnections = max(options.maxConnections, primary.options.maxConnections)
        try self.init(options) { cluster throws(LocalPostgresError) in try cluster.copy(primary, name) }
    }

    /// Throws this cluster's data away and starts it anew as a standby of another, as an operator does with an old primary. Stops its server
    /// first where it runs.
    public func follow(_ primary: LocalCluster, name: String = "standby") throws(LocalPostgresError) {
        halt()
        try copy(primary, name)
        try start()
    }

    /// Makes a standby a primary, and returns once it takes writes.
    public func promote() throws(LocalPostgresError) {
        guard try psql("select pg_promote(true, 60)") == "t\n" else {
            throw LocalPostgresError(.timedOut, "promotion\n\(log)")
        }
    }

    /// Makes every commit wait until standbys have it, or none where `names` is empty. They must be connected: else all commits wait.
    public func setSynchronousStandbys(_ names: String) throws(LocalPostgresError) {
        // Two calls: ALTER SYSTEM runs in no transaction block, and psql makes one of two statements.
        try psql("alter system set synchronous_standby_names = '\(names)'")
        try psql("select pg_reload_conf()")
        let wanted = names.isEmpty ? "not exists" : "exists"
        try psql(
            """
            do $$ begin
                while not \(wanted) (select from pg_stat_replication where sync_state in ('sync', 'quorum')) loop
                    perform pg_sleep(0.01), pg_stat_clear_snapshot();
                end loop;
            end $$
            """
        )
        // The checkpointer is who tells commits to wait, and it reads its configuration before a checkpoint.
        try psql("checkpoint")
    }

    /// A URL of both servers' sockets, of which only one that takes writes will do.
    public func url(database: String = "postgres", orThatOf other: LocalCluster) -> String {
        let hosts = [self, other].map { "\(Self.percentEncoded($0.folder)):\($0.port ?? 5432)" }
        return "postgresql://postgres@\(hosts.joined(separator: ","))/\(database)?target_session_attrs=read-write"
    }

    /// A stream to a standby that is held.
    public struct HeldStream: Sendable {
        let sender: Int32
    }

    /// From now on nothing reaches the standby, and the primary does not notice: its commits go on, unless they wait for the standby.
    public func holdStreaming() throws(LocalPostgresError) -> HeldStream {
        let id = Int32(try psql("select pid from pg_stat_replication limit 1").filter(\.isNumber))
        guard let id, kill(id, SIGSTOP) == 0 else {
            throw LocalPostgresError(.programFailed, "nobody streams from \(folder)")
        }
        return HeldStream(sender: id)
    }

    /// As a crash of the whole machine: the server ends, and what the stream held never arrives.
    public func halt(withStreaming held: HeldStream) {
        // The server first: it would take a child's end for a crash, and start anew. Its children end by themselves, but for a stopped one.
        halt(.kill)
        kill(held.sender, SIGKILL)
    }

    /// Through the primary's socket, which only its account and root reach. `-R` writes where to stream from and the mark of a standby.
    private func copy(_ primary: LocalCluster, _ name: String) throws(LocalPostgresError) {
        ServerAccount.remove(folder + "/data")
        let source =
            "host='\(primary.folder)' port=\(primary.port ?? 5432) user=postgres application_name=\(name)"
        try ChildProcess.run(
            account.command(programs.path("pg_basebackup")) + [
                "-D", folder + "/data", "-d", source, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync",
            ],
            directory: folder
        )
    }
}
