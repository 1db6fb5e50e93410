import Glibc

/// What the server's thread does: accepts, and lets each client go on as far as it can. All of it is used on that thread only.
///
/// `@unchecked Sendable`: it is made, handed to its thread, and touched by nobody else.
final class ScrapeLoop: @unchecked Sendable {
    private let listener: Int32
    private let stop: Int32
    private let page: () -> [UInt8]
    /// Those that came first are first.
    private var connections: [ScrapeConnection] = []
    /// The system had no descriptor left: nothing is accepted until then.
    private var restsUntil: ContinuousClock.Instant?

    /// At a time. One more takes the place of the first, so that nobody who holds connections open keeps the others out.
    static let mostConnections = 16
    private static let rest = Duration.seconds(1)

    /// - Parameters:
    ///   - listener: not blocking; closed at the end.
    ///   - stop: readable once it is to end; closed then.
    init(listener: Int32, stop: Int32, page: @escaping @Sendable () -> [UInt8]) {
        self.listener = listener
        self.stop = stop
        self.page = page
    }

    /// Returns when it is stopped, everything closed.
    func run() {
        while true {
            let now = ContinuousClock.now
            if let until = restsUntil, until <= now { restsUntil = nil }
            connections.removeAll { $0.phase == .ended || $0.deadline <= now }
            // A negative descriptor is passed over (poll(2)).
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

    /// Milliseconds until somebody's time is over; -1: nobody waits.
    private func patience(_ now: ContinuousClock.Instant) -> Int32 {
        guard let next = (connections.map(\.deadline) + [restsUntil].compactMap(\.self)).min() else { return -1 }
        // Up, else the last fraction would be spun away.
        return Int32(max(0, ((next - now) / .milliseconds(1)).rounded(.up)))
    }

    private func accept(_ now: ContinuousClock.Instant) {
        // As many as there may be: who connects without end must not keep the others from being read.
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
            // Its request is there already, as a rule.
            connections.last?.proceed(now: now, page: page)
        }
    }
}
