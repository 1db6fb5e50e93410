import Glibc

extension LocalCluster {
    /// Makes a hot standby, which `synchronous_standby_names` calls `standby`, from a base backup of a running primary.
    package convenience init(standbyOf primary: LocalCluster, _ options: Options) throws(LocalPostgresError) {
        var options = options
        // A standby that allows fewer connections than its primary refuses to start.
        options.maxConnections = max(options.maxConnections, primary.options.maxConnections)
        try self.init(options) { cluster throws(LocalPostgresError) in try cluster.copy(primary, "standby") }
    }

    /// Starts it again as a standby of another, without its data, as an operator does with an old primary.
    package func follow(_ primary: LocalCluster, name: String) throws(LocalPostgresError) {
        halt()
        try copy(primary, name)
        try start()
    }

    package func promote() throws(LocalPostgresError) {
        guard try sql("select pg_promote(true, 60)") == "t\n" else {
            throw LocalPostgresError(.timedOut, "promotion\n\(log)")
        }
    }

    /// Makes every commit wait for these standbys. They must be connected, else all commits wait.
    package func setSynchronousStandbys(_ names: String) throws(LocalPostgresError) {
        // Two calls, because ALTER SYSTEM can't run in a transaction block, and two statements in one call are one.
        try sql("alter system set synchronous_standby_names = '\(names)'")
        try sql("select pg_reload_conf()")
        try sql(
            """
            do $$ begin
                while not exists (select from pg_stat_replication where sync_state in ('sync', 'quorum')) loop
                    perform pg_sleep(0.01), pg_stat_clear_snapshot();
                end loop;
            end $$
            """
        )
        // The checkpointer makes commits wait, and it reads its configuration before a checkpoint.
        try sql("checkpoint")
    }

    /// A URL with both servers' sockets. libpq uses the one that accepts writes.
    package func url(database: String = "postgres", orThatOf other: LocalCluster) -> String {
        let hosts = [self, other].map { "\(Self.percentEncoded($0.folder)):\($0.port ?? 5432)" }
        return "postgresql://postgres@\(hosts.joined(separator: ","))/\(database)?target_session_attrs=read-write"
    }

    /// Stops the stream to the standby. The primary's commits go on, unless they wait for the standby.
    /// Returns the process that sends it.
    package func holdStreaming() throws(LocalPostgresError) -> Int32 {
        let id = Int32(try sql("select pid from pg_stat_replication limit 1").filter(\.isNumber))
        guard let id, kill(id, SIGSTOP) == 0 else {
            throw LocalPostgresError(.programFailed, "nobody streams from \(folder)")
        }
        return id
    }

    /// Ends the server like a crash of the whole machine. What the stream held never arrives.
    package func halt(withStreaming sender: Int32) {
        // Kill the server first: it would take a child's end for a crash and start again. Only the stopped child stays.
        halt(.kill)
        kill(sender, SIGKILL)
    }

    /// Copies through the primary's socket. `-R` writes the stream's source and the standby's signal file.
    private func copy(_ primary: LocalCluster, _ name: String) throws(LocalPostgresError) {
        ServerAccount.remove(folder + "/data")
        let source = "host='\(primary.folder)' port=\(primary.port ?? 5432) user=postgres application_name=\(name)"
        try ChildProcess.run(
            host.account.command(programs.path("pg_basebackup")) + [
                "-D", folder + "/data", "-d", source, "-R", "-X", "stream", "--checkpoint=fast", "--no-sync",
            ],
            directory: folder
        )
    }
}
