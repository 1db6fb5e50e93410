import CLibPQ
import Glibc

extension ServerLink {
    /// A connection attempt to one host.
    private struct Attempt {
        let link: ServerLink
        /// User, host and database, for errors.
        let target: String
        /// The events to poll its socket for.
        var events: Int32
        let deadline: Deadline
    }

    private enum Step {
        case goesOn(Int32)
        case connected
        case failed(PostgresError)
    }

    /// Tries the configuration's hosts in order. With a `headStart`, the next host is tried soon beside a silent one,
    /// and the first connection wins. After a failover, the first host of the list often drops packets.
    ///
    /// - Throws: The last host's error. An error from a server has priority over one from the network.
    static func open(
        _ configuration: ConnectionConfiguration,
        notices: (@Sendable (ServerNotice) -> Void)?
    ) throws(PostgresError) -> ServerLink {
        var left = configuration.attempts[...]
        var running: [Attempt] = []
        var headStart: Deadline?
        var failure = PostgresError(.connectionFailed)
        func note(_ error: PostgresError, _ target: String) {
            guard failure.sqlState == nil || error.sqlState != nil else { return }
            failure = error
            failure.object = target
        }
        while !left.isEmpty || !running.isEmpty {
            let isNextOnesTurn = running.isEmpty || headStart.map { $0.milliseconds == nil } ?? false
            if isNextOnesTurn, let keywords = left.popFirst() {
                headStart = configuration.headStart.map { Deadline(after: $0) }
                do throws(PostgresError) {
                    running.append(try begin(keywords, notices, Deadline(after: configuration.connectTimeout)))
                } catch {
                    note(error, ConnectionConfiguration.target(keywords))
                }
                continue
            }
            let ready = try wait(for: running, or: left.isEmpty ? nil : headStart)
            for index in running.indices.reversed() {
                switch ready.contains(index) ? running[index].link.step() : overdue(running[index]) {
                case .goesOn(let events): running[index].events = events
                case .connected: return running[index].link
                case .failed(let error):
                    note(error, running[index].target)
                    running.remove(at: index)
                }
            }
        }
        throw failure
    }

    private static func begin(
        _ keywords: [String: String],
        _ notices: (@Sendable (ServerNotice) -> Void)?,
        _ deadline: Deadline
    ) throws(PostgresError) -> Attempt {
        guard let handle = start(keywords) else { throw PostgresError(.connectionFailed, detail: "out of memory") }
        let link = ServerLink(handle: handle, notices: notices)
        // Verbose, because the SQLSTATE of a refused connection is only in libpq's message.
        PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        PQsetnonblocking(handle, 1)
        guard PQstatus(handle) != CONNECTION_BAD else { throw link.connectError() }
        // The first poll is for writing (manual, PQconnectPoll).
        let target = ConnectionConfiguration.target(keywords)
        return Attempt(link: link, target: target, events: POLLOUT, deadline: deadline)
    }

    /// Lets libpq continue, because its socket is ready.
    private func step() -> Step {
        switch PQconnectPoll(handle) {
        case PGRES_POLLING_READING: return .goesOn(POLLIN)
        case PGRES_POLLING_OK:
            // PQconnectPoll doesn't keep the mode that was set before.
            guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
                return .failed(connectError())
            }
            return .connected
        case PGRES_POLLING_FAILED: return .failed(connectError())
        default: return .goesOn(POLLOUT)
        }
    }

    private static func overdue(_ attempt: Attempt) -> Step {
        guard attempt.deadline.milliseconds == nil else { return .goesOn(attempt.events) }
        return .failed(PostgresError(.connectionFailed, detail: "no answer in time"))
    }

    /// Waits until a socket is ready or the first deadline has come. Returns the indices of the ready attempts.
    private static func wait(for attempts: [Attempt], or headStart: Deadline?) throws(PostgresError) -> Set<Int> {
        // The socket is read each time, because libpq changes it for each address. POLLERR and POLLHUP count as ready:
        // libpq's next call reports the error.
        var descriptors = attempts.map {
            pollfd(fd: PQsocket($0.link.handle), events: Int16($0.events), revents: 0)
        }
        let waits = (attempts.map(\.deadline) + [headStart].compactMap(\.self)).map { $0.milliseconds ?? 0 }
        let count = poll(&descriptors, nfds_t(descriptors.count), waits.min() ?? 0)
        if count < 0, errno != EINTR {
            throw PostgresError(.connectionFailed, detail: "poll failed, errno \(errno)")
        }
        guard count > 0 else { return [] }
        // libpq has closed a socket of -1, so its attempt needs no wait until the deadline.
        return Set(descriptors.indices.filter { descriptors[$0].revents != 0 || descriptors[$0].fd < 0 })
    }
}
