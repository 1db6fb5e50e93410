import Synchronization

/// Sessions of the superuser that are kept for the next script. A new session costs the server 5 ms of processor time,
/// and a test that polls would open a hundred a second.
final class SuperuserSessions: Sendable {
    /// More are closed, the oldest first.
    private static let most = 16
    /// What a script may say that outlives it in its session.
    private static let traces = ["set", "prepare", "temp", "listen", "load", "begin", "advisory"]
    /// What changes settings. A session of before has the old ones, or would still read the new ones.
    private static let settings = [
        "alter database", "alter role", "alter user", "alter system", "pg_reload_conf", "drop role",
    ]

    private let idle = Mutex<[SuperuserSession]>([])

    /// Runs a script in a session of the database, which nothing of an earlier script is left in.
    func run(
        _ script: String,
        in database: String,
        url: String,
        within time: Duration
    ) throws(LocalPostgresError) -> String {
        let kept = idle.withLock { sessions in
            sessions.lastIndex { $0.database == database }.map { sessions.remove(at: $0) }
        }
        var session: SuperuserSession
        if let kept, kept.isReady {
            session = kept
        } else {
            session = try SuperuserSession(url: url, database: database)
        }
        let output = try session.run(script, within: time)
        let words = script.lowercased()
        if Self.settings.contains(where: words.contains) {
            close()
        } else if session.isReady {
            if Self.traces.contains(where: words.contains) { try session.forget() }
            keep(session)
        }
        return output
    }

    /// Ends the sessions of a database, so that it can be copied or dropped; without a name, all.
    func close(of database: String? = nil) {
        let ended = idle.withLock { sessions in
            let ended = sessions.filter { database == nil || $0.database == database }
            sessions.removeAll { database == nil || $0.database == database }
            return ended
        }
        // PQfinish waits for nobody, but needs no lock.
        withExtendedLifetime(ended) {}
    }

    private func keep(_ session: SuperuserSession) {
        let oldest = idle.withLock { sessions in
            sessions.append(session)
            return sessions.count > Self.most ? sessions.removeFirst() : nil
        }
        withExtendedLifetime(oldest) {}
    }
}
