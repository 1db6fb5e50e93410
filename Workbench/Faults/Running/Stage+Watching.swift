import Glibc

extension TextPage {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}

extension Stage {
    /// Deadlocks that the server saw in the round's database. The statistics come a moment late; a deadlock itself takes a second.
    func deadlocks() async throws -> Int {
        try await number("select deadlocks from pg_stat_database where datname = current_database()")
    }

    /// Waits until a daemon has asked the database again, so many milliseconds from now: what came before is seen by then.
    func awaitLook(after milliseconds: Int64 = 1_000, within limit: Duration = .seconds(30)) async throws {
        let at = now + milliseconds
        try await wait(limit, for: "a daemon to look around") {
            try await self.number(
                "select count(*) from pg_stat_activity where \(Stage.others) and query_start > to_timestamp(\(at) / 1000.0)"
            ) > 0
        }
    }
}
