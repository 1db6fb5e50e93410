import ArgumentParser
import LocalPostgres

extension Workbench {
    private static let holderName = "bench_holder"

    /// Starts a session that holds a snapshot, like a long report. Rows that die from now on can't be removed.
    func holdSnapshot() throws -> ChildProcess {
        let holder = try ChildProcess(
            [
                "psql", "-XAtq", "-d", cluster.url(database: "bench") + "?application_name=" + Self.holderName,
                "-c", "begin isolation level repeatable read", "-c", "select 1", "-c", "select pg_sleep(1000000)",
            ],
            output: .captured,
            error: .captured
        )
        guard holder.waitForOutput(.seconds(20), where: { $0.contains("1\n") }) else {
            holder.end()
            throw ValidationError("the snapshot is not held: \(holder.errorOutput)")
        }
        return holder
    }

    /// Ends that session.
    func releaseSnapshot(_ holder: ChildProcess) throws {
        _ = try sql(
            "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = '\(Self.holderName)'"
        )
        holder.end()
    }
}
