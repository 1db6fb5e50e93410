import CLibPQ
import Glibc

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

    /// Whether the server still holds it, outside a transaction. A server that ended it has sent its reason or closed the
    /// socket.
    var isReady: Bool {
        var socket = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        if poll(&socket, 1, 0) > 0, PQconsumeInput(handle) != 1 { return false }
        return PQstatus(handle) == CONNECTION_OK && PQtransactionStatus(handle) == PQTRANS_IDLE && socket.revents == 0
    }

    /// Forgets all that a script may have left: settings, role, temporary tables, prepared statements.
    func forget() throws(LocalPostgresError) { _ = try run("discard all", within: .seconds(60)) }

    /// Runs the statements as one simple query: in one transaction, unless they say otherwise.
    ///
    /// - Returns: their rows, one line each, columns separated by `|`, null as an empty text.
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
