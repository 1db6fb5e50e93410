import Synchronization

/// Sessions of the superuser that are kept for the next script. A new session costs the server 5 ms of processor time,
/// and a test that polls would open a hundred a second.
final class SuperuserSessions: Sendable {
    private struct State {
        var idle: [SuperuserSession] = []
        /// Raised when older sessions may not be used any more.
        var generation = 0
    }

    /// More are closed, the oldest first.
    private static let most = 16
    /// A script with one of these words leaves something in its session: a setting, a role, a temporary table.
    private static let traces = [
        "set", "prepare", "temp", "listen", "load", "begin", "advisory", "cursor", "currval", "lastval",
    ]
    /// Changes settings. An older session has the old ones, or reads the new ones only later.
    private static let settings = [
        "alter database", "alter role", "alter user", "alter system", "pg_reload_conf", "drop role",
    ]

    private let state = Mutex(State())

    /// Runs a script in a session of the database. Settings, roles, temporary tables and prepared statements of earlier
    /// scripts are gone.
    func run(
        _ script: String,
        in database: String,
        url: String,
        within time: Duration
    ) throws(LocalPostgresError) -> String {
        let (kept, generation) = state.withLock { state in
            let kept = state.idle.lastIndex { $0.database == database }.map { state.idle.remove(at: $0) }
            return (kept, state.generation)
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
            keep(session, of: generation)
        }
        return output
    }

    /// Ends the sessions of a database, so that it can be copied or dropped; without a name, all.
    func close(of database: String? = nil) {
        let ended = state.withLock { state in
            let ended = state.idle.filter { database == nil || $0.database == database }
            state.idle.removeAll { database == nil || $0.database == database }
            if database == nil { state.generation += 1 }
            return ended
        }
        // PQfinish runs outside the lock.
        withExtendedLifetime(ended) {}
    }

    private func keep(_ session: SuperuserSession, of generation: Int) {
        let oldest = state.withLock { state -> SuperuserSession? in
            guard state.generation == generation else { return session }
            state.idle.append(session)
            return state.idle.count > Self.most ? state.idle.removeFirst() : nil
        }
        withExtendedLifetime(oldest) {}
    }
}
