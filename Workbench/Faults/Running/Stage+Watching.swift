import Glibc

extension SmallFile {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

extension Stage {
    /// Deadlocks in the round's database. The statistics are a moment late.
    func deadlocks() async throws -> Int {
        try await number("select deadlocks from pg_stat_database where datname = current_database()")
    }

    /// Waits until a daemon has sent a statement at least this many milliseconds from now. So it has seen earlier
    /// changes.
    func awaitLook(after milliseconds: Int64 = 1_000) async throws {
        let at = now + milliseconds
        try await wait(for: "a daemon's next sweep") {
            try await self.number(
                "select count(*) from pg_stat_activity where \(Stage.others) and query_start > to_timestamp(\(at) / 1000.0)"
            ) > 0
        }
    }
}
