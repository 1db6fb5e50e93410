import CLibPQ
import Glibc

/// The one owner of a libpq connection. Not Sendable: only the `Connection` that made it touches it, on its own queue,
/// and `deinit` runs when nobody else can. Every wait has a deadline.
final class ServerLink {
    let handle: OpaquePointer
    /// Outlives `handle`, whose notice receiver points at it unretained.
    private let receiver: NoticeReceiver

    private init(handle: OpaquePointer, notices: (@Sendable (Notice) -> Void)?) {
        self.handle = handle
        receiver = NoticeReceiver(notices)
        receiver.install(on: handle)
    }

    /// Non-blocking mode is on, so the farewell that PQfinish sends can't block either.
    deinit { PQfinish(handle) }

    /// Tries the configuration's hosts in turn; throws the last one's error.
    static func open(
        _ configuration: ConnectionConfiguration,
        notices: (@Sendable (Notice) -> Void)?
    ) throws(PostgresError) -> ServerLink {
        var failure = PostgresError(.connectionFailed)
        for keywords in configuration.attempts {
            do throws(PostgresError) {
                return try open(keywords, notices, Deadline(after: configuration.connectTimeout))
            } catch {
                failure = error
            }
        }
        throw failure
    }

    private static func open(
        _ keywords: [String: String],
        _ notices: (@Sendable (Notice) -> Void)?,
        _ deadline: Deadline
    ) throws(PostgresError) -> ServerLink {
        guard let handle = start(keywords) else { throw PostgresError(.connectionFailed, detail: "out of memory") }
        let link = ServerLink(handle: handle, notices: notices)
        // Verbose: the only way to the SQLSTATE of a refused connection is libpq's message.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        PQsetnonblocking(handle, 1)
        guard PQstatus(handle) != CONNECTION_BAD else { throw link.connectError() }
        // As if PQconnectPoll had just asked to write (manual, PQconnectPoll).
        var wanted = PGRES_POLLING_WRITING
        while wanted != PGRES_POLLING_OK {
            let events = wanted == PGRES_POLLING_READING ? POLLIN : POLLOUT
            guard try link.wait(for: events, deadline) else {
                throw PostgresError(.connectionFailed, detail: "no answer in time")
            }
            wanted = PQconnectPoll(handle)
            if wanted == PGRES_POLLING_FAILED { throw link.connectError() }
        }
        // PQconnectPoll doesn't keep the mode that was set before it.
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw link.connectError() }
        return link
    }

    private static func start(_ keywords: [String: String]) -> OpaquePointer? {
        let pairs = keywords.sorted { $0.key < $1.key }
        let copies = pairs.flatMap { [strdup($0.key), strdup($0.value)] }
        defer { copies.forEach { free($0) } }
        var names: [UnsafePointer<CChar>?] = []
        var values: [UnsafePointer<CChar>?] = []
        for index in pairs.indices {
            names.append(copies[2 * index].map { UnsafePointer($0) })
            values.append(copies[2 * index + 1].map { UnsafePointer($0) })
        }
        return PQconnectStartParams(names + [nil], values + [nil], 0)
    }

    private func connectError() -> PostgresError {
        ConnectFailure.error(from: PQerrorMessage(handle).map { String(cString: $0) } ?? "")
    }

    /// Waits until the socket is ready; false when the deadline came first.
    func wait(for events: Int32, _ deadline: Deadline) throws(PostgresError) -> Bool {
        while true {
            guard let milliseconds = deadline.milliseconds else { return false }
            let socket = PQsocket(handle)
            guard socket >= 0 else { throw PostgresError(.connectionLost) }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = poll(&descriptor, 1, milliseconds)
            // POLLERR and POLLHUP count as ready: libpq's next call finds out and words it.
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { throw PostgresError(.connectionLost, detail: "poll failed, errno \(errno)") }
        }
    }

    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }
    var isBroken: Bool { PQstatus(handle) == CONNECTION_BAD }
}
