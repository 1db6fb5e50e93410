import Glibc

/// The work of the server's thread: accepts clients and serves each as far as it can without blocking.
///
/// `@unchecked Sendable`: it is made on one thread and handed to the server's thread, and only that thread uses it.
final class ScrapeLoop: @unchecked Sendable {
    private let listener: Int32
    private let stop: Int32
    private let page: () -> [UInt8]
    /// The oldest first.
    private var connections: [ScrapeConnection] = []
    /// Set if the system had no descriptor left. Until then nothing is accepted.
    private var restsUntil: ContinuousClock.Instant?

    /// The most open connections. A further client replaces the oldest one, so that idle clients can't keep others out.
    static let mostConnections = 16
    private static let rest = Duration.seconds(1)

    /// - Parameters:
    ///   - listener: a non-blocking socket; `run` closes it.
    ///   - stop: readable when the loop must end; `run` closes it.
    ///   - page: makes the metrics.
    init(listener: Int32, stop: Int32, page: @escaping @Sendable () -> [UInt8]) {
        self.listener = listener
        self.stop = stop
        self.page = page
    }

    /// Runs until `stop` is readable. Then everything is closed.
    func run() {
        while true {
            let now = ContinuousClock.now
            if let until = restsUntil, until <= now { restsUntil = nil }
            connections.removeAll { $0.phase == .ended || $0.deadline <= now }
            // poll(2) ignores a negative descriptor.
            var polls = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: restsUntil == nil ? listener : -1, events: Int16(POLLIN), revents: 0),
            ]
            polls += connections.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
            guard poll(&polls, nfds_t(polls.count), patience(now)) >= 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                break
            }
            if polls[0].revents != 0 { break }
            let then = ContinuousClock.now
            for (connection, poll) in zip(connections, polls.dropFirst(2)) where poll.revents != 0 {
                connection.proceed(now: then, page: page)
            }
            if polls[1].revents != 0 { accept(then) }
        }
        connections = []
        close(listener)
        close(stop)
    }

    /// Milliseconds until the next deadline; -1 if there is none.
    private func patience(_ now: ContinuousClock.Instant) -> Int32 {
        guard let next = (connections.map(\.deadline) + [restsUntil].compactMap(\.self)).min() else { return -1 }
        // Rounded up: else poll would return at once, again and again, in the last millisecond.
        return Int32(max(0, ((next - now) / .milliseconds(1)).rounded(.up)))
    }

    private func accept(_ now: ContinuousClock.Instant) {
        // Bounded, so that a stream of new connections doesn't keep open ones waiting.
        for _ in 0..<Self.mostConnections {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else {
                if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { restsUntil = now + Self.rest }
                return
            }
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                close(descriptor)
                continue
            }
            if connections.count == Self.mostConnections { connections.removeFirst() }
            connections.append(ScrapeConnection(descriptor, now: now))
            // Usually the request has arrived already.
            connections.last?.proceed(now: now, page: page)
        }
    }
}
