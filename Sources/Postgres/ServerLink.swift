import CLibPQ
import Glibc

/// The only owner of a libpq connection. Not Sendable: only the `Connection` that made it uses it, on its own queue.
/// `deinit` runs when no other code can. Every wait has a deadline.
final class ServerLink {
    let handle: OpaquePointer
    /// Lives longer than `handle`, whose notice receiver points to it unretained.
    let farewell = Farewell()
    /// Whether statements may be prepared. Nil: not known yet. A pooler can give each transaction another session.
    var prepares: Bool?
    var prepared: Set<String> = []

    private init(_ keywords: [String: String]) throws(PostgresError) {
        // A value between quotation marks has its backslashes and quotation marks escaped (manual, 34.1.1.1).
        let pairs = keywords.map { keyword, value in
            let escaped = value.unicodeScalars.map { ["\\", "'"].contains($0) ? "\\\($0)" : "\($0)" }
            return "\(keyword)='\(escaped.joined())'"
        }
        guard let handle = PQconnectStart(pairs.joined(separator: " ")) else {
            throw PostgresError(.connectionFailed, detail: "out of memory")
        }
        self.handle = handle
        farewell.listen(to: handle)
        // Verbose, because the SQLSTATE of a refused connection is only in libpq's message.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        PQsetnonblocking(handle, 1)
    }

    /// Non-blocking mode is on, so the last message that PQfinish sends can't block.
    deinit { PQfinish(handle) }

    /// Tries the configuration's hosts in order. With a `headStart`, a silent host is left for the next one soon, and
    /// tried again for its whole time if no other accepts. After a failover, the first host often drops packets.
    ///
    /// - Throws: The last host's error. An error from a server has priority over one from the network.
    static func open(_ configuration: ConnectionConfiguration) throws(PostgresError) -> ServerLink {
        var failure = PostgresError(.connectionFailed)
        var hosts = configuration.attempts
        for time in [configuration.headStart, configuration.connectTimeout].compactMap(\.self) {
            var silent: [[String: String]] = []
            for keywords in hosts {
                do throws(PostgresError) {
                    let link = try ServerLink(keywords)
                    if try link.connects(before: Deadline(after: time)) { return link }
                    silent.append(keywords)
                    throw PostgresError(.connectionFailed, detail: "no answer in time")
                } catch {
                    guard failure.sqlState == nil || error.sqlState != nil else { continue }
                    failure = error
                    failure.code = .connectionFailed
                    failure.object = ConnectionConfiguration.target(keywords)
                }
            }
            hosts = silent
        }
        throw failure
    }

    /// Returns false if the deadline came first.
    private func connects(before deadline: Deadline) throws(PostgresError) -> Bool {
        guard !isBroken else { throw connectError() }
        // The first poll is for writing (manual, PQconnectPoll).
        var events = POLLOUT
        while true {
            // libpq has closed a socket of -1. Its next call reports the error.
            if PQsocket(handle) >= 0, try !wait(for: events, deadline) { return false }
            switch PQconnectPoll(handle) {
            case PGRES_POLLING_READING: events = POLLIN
            case PGRES_POLLING_WRITING: events = POLLOUT
            case PGRES_POLLING_OK:
                // PQconnectPoll doesn't keep the mode that was set before.
                guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else { throw connectError() }
                return true
            default: throw connectError()
            }
        }
    }

    private func connectError() -> PostgresError {
        PostgresError(connecting: PQerrorMessage(handle).map { String(cString: $0) } ?? "")
    }

    /// Waits until the socket is ready. Returns false if the deadline came first.
    func wait(for events: Int32, _ deadline: Deadline) throws(PostgresError) -> Bool {
        while true {
            guard let milliseconds = deadline.milliseconds else { return false }
            // libpq changes its socket for each address.
            let socket = PQsocket(handle)
            guard socket >= 0 else { throw PostgresError(.connectionLost) }
            var descriptor = pollfd(fd: socket, events: Int16(events), revents: 0)
            let ready = poll(&descriptor, 1, milliseconds)
            // POLLERR and POLLHUP count as ready: libpq's next call reports the error.
            if ready > 0 { return true }
            if ready < 0, errno != EINTR { throw PostgresError(.connectionLost, detail: "poll failed, errno \(errno)") }
        }
    }

    /// Whether the server ended the idle connection (a restart, a time-out, a pooler). Reads what has come already.
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

/// Why the server ended the connection, if it said so while nothing was asked. Then libpq takes its FATAL for a notice,
/// for example when it comes with the answer to the connection's start.
final class Farewell {
    private(set) var error: PostgresError?

    /// Other notices are dropped. libpq would write them to stderr, and they can quote a parameter or a row.
    func listen(to connection: OpaquePointer) {
        let receive: PQnoticeReceiver = { context, result in
            guard let context, let result, let severity = PQresultErrorField(result, Int32(UInt8(ascii: "V"))),
                ["FATAL", "PANIC"].contains(String(cString: severity))
            else { return }
            let farewell = Unmanaged<Farewell>.fromOpaque(context).takeUnretainedValue()
            farewell.error = PostgresError(.connectionLost, reading: result)
        }
        PQsetNoticeReceiver(connection, receive, Unmanaged.passUnretained(self).toOpaque())
    }
}

/// An instant by which something must be done. ContinuousClock continues while the machine sleeps, so after a
/// suspension the wait is over, as it is for the server.
struct Deadline {
    private let instant: ContinuousClock.Instant

    init(after duration: Duration) { instant = ContinuousClock.now + duration }

    /// The time-out for poll(): milliseconds, rounded up, at most an hour. Nil if the instant has passed.
    var milliseconds: Int32? {
        let left = ContinuousClock.now.duration(to: instant)
        guard left > .zero else { return nil }
        return Int32(min(left, .seconds(3600)) / .milliseconds(1)) + 1
    }
}
