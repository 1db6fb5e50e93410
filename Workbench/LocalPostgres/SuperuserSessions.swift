import CLibPQ
import Glibc
import Synchronization

/// Sessions of the superuser that are kept for the next script. A new session costs the server 5 ms of processor time,
/// and a test that polls would open a hundred a second.
final class SuperuserSessions: Sendable {
    private static let most = 16
    /// A script with one of these words leaves something in its session: a setting, a role, a temporary table.
    private static let traces = [
        "set", "prepare", "temp", "listen", "load", "begin", "advisory", "cursor", "currval", "lastval",
    ]
    /// Changes settings. An older session has the old ones, or reads the new ones only later.
    private static let settings = [
        "alter database", "alter role", "alter user", "alter system", "pg_reload_conf", "drop role",
    ]

    private let state = Mutex((idle: [SuperuserSession](), generation: 0))

    /// Runs a script. Settings, roles, temporary tables and prepared statements of earlier ones are gone.
    func run(_ sql: String, in database: String, url: String, within: Duration) throws(LocalPostgresError) -> String {
        let (kept, generation) = state.withLock { state in
            let kept = state.idle.lastIndex { $0.database == database }.map { state.idle.remove(at: $0) }
            return (kept, state.generation)
        }
        let session = if let kept, kept.isReady { kept } else { try SuperuserSession(url: url, database: database) }
        let output = try session.run(sql, within: within)
        let words = sql.lowercased()
        if Self.settings.contains(where: words.contains) {
            close()
        } else if session.isReady {
            if Self.traces.contains(where: words.contains) { _ = try session.run("discard all", within: .seconds(60)) }
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

/// A session of the superuser. It runs scripts one after the other, and blocks its thread with a limit.
///
/// `SuperuserSessions` lends it to one thread at a time.
final class SuperuserSession: @unchecked Sendable {
    let database: String
    private let handle: OpaquePointer?

    init(url: String, database: String) throws(LocalPostgresError) {
        self.database = database
        handle = PQconnectdb(url)
        guard PQstatus(handle) == CONNECTION_OK else { throw Self.failure(handle) }
        PQsetNoticeProcessor(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// Outside a transaction, and not ended. If it ended, the server has sent a reason or closed the socket.
    var isReady: Bool {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        if poll(&socket, 1, 0) > 0, PQconsumeInput(handle) != 1 { return false }
        return PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE && socket.revents == 0
    }

    /// Runs the statements as one simple query: in one transaction, unless they say otherwise. Returns their rows, one
    /// a line, columns separated by `|`, null as an empty text.
    func run(_ script: String, within time: Duration) throws(LocalPostgresError) -> String {
        let end = ContinuousClock.now + time
        guard PQsendQuery(handle, script) == 1 else { throw Self.failure(handle) }
        var lines = ""
        var failure: LocalPostgresError?
        while true {
            try awaitResult(until: end)
            guard let result = PQgetResult(handle) else { break }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK: lines += Self.text(of: result)
            case PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: continue
            case PGRES_FATAL_ERROR: failure = failure ?? Self.failure(handle)
            // COPY is refused, because it would wait for data without end.
            default: throw LocalPostgresError(.programFailed, "a statement whose answer is no rows: \(script)")
            }
        }
        if let failure { throw failure }
        return lines
    }

    private func awaitResult(until end: ContinuousClock.Instant) throws(LocalPostgresError) {
        while PQisBusy(handle) == 1 {
            let left = (end - .now).components
            guard left.seconds >= 0, left.attoseconds >= 0 else {
                cancel()
                throw LocalPostgresError(.timedOut, "SQL")
            }
            var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            poll(&socket, 1, Int32(clamping: left.seconds * 1000 + left.attoseconds / 1_000_000_000_000_000 + 1))
            guard PQconsumeInput(handle) == 1 else { throw Self.failure(handle) }
        }
    }

    private func cancel() {
        let request = PQgetCancel(handle)
        defer { PQfreeCancel(request) }
        var text = [CChar](repeating: 0, count: 256)
        PQcancel(request, &text, Int32(text.count))
    }

    private static func text(of result: OpaquePointer) -> String {
        (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { String(cString: PQgetvalue(result, row, $0)) }.joined(separator: "|") + "\n"
        }.joined()
    }

    private static func failure(_ handle: OpaquePointer?) -> LocalPostgresError {
        LocalPostgresError(.programFailed, PQerrorMessage(handle).map { String(cString: $0) } ?? "out of memory")
    }
}
