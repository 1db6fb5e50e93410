import CLibPQ
import Glibc

/// The only owner of a libpq connection. Not Sendable: only the `Connection` that made it uses it, on its own queue.
/// `deinit` runs when no other code can. Every wait has a deadline.
final class ServerLink {
    let handle: OpaquePointer
    /// Must live longer than `handle`, whose notice receiver points to it unretained.
    private let receiver: NoticeReceiver

    init(handle: OpaquePointer, notices: (@Sendable (ServerNotice) -> Void)?) {
        self.handle = handle
        receiver = NoticeReceiver(notices)
        receiver.install(on: handle)
    }

    /// Non-blocking mode is on, so the last message that PQfinish sends can't block.
    deinit { PQfinish(handle) }

    static func start(_ keywords: [String: String]) -> OpaquePointer? {
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

    func connectError() -> PostgresError {
        ConnectFailure.error(from: PQerrorMessage(handle).map { String(cString: $0) } ?? "")
    }

    /// Waits until the socket is ready. Returns false if the deadline came first.
    func wait(for events: Int32, _ deadline: Deadline) throws(PostgresError) -> Bool {
        while true {
            guard let milliseconds = deadline.milliseconds else { return false }
            let socket = PQsocket(handle)
            guard socket >= 0 else { throw PostgresError(.connectionLost) }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = poll(&descriptor, 1, milliseconds)
            // POLLERR and POLLHUP count as ready: libpq's next call reports the error.
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { throw PostgresError(.connectionLost, detail: "poll failed, errno \(errno)") }
        }
    }

    /// Whether the server ended the connection while it was idle: a restart, `idle_session_timeout`, a pooler. Reads what
    /// has come, and waits for nothing.
    func hasEnded() -> Bool {
        var descriptor = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
        // The reason comes first, then the end of the stream.
        for _ in 0..<3 where !isBroken && poll(&descriptor, 1, 0) > 0 {
            if PQconsumeInput(handle) == 0 { return true }
            // Parses what was read.
            _ = PQisBusy(handle)
        }
        return isBroken
    }

    var isInTransaction: Bool { PQtransactionStatus(handle) != PQTRANS_IDLE }
    var isBroken: Bool { PQstatus(handle) == CONNECTION_BAD }
    /// The server process named at the connection's start. A pooler gives its own number.
    var processID: Int32 { PQbackendPID(handle) }
}
