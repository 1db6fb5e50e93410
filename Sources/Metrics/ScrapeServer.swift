package import Base
import Dispatch
import Glibc

/// Serves `GET /metrics` on an address. One thread accepts clients, and each client has its own for a few seconds. A
/// slow or endless client costs a bounded number of bytes for a bounded time.
package final class ScrapeServer: Sendable {
    private let listener: Int32
    private let thread: pthread_t
    private let clients: ScrapeClients

    /// The most clients at a time. A further one replaces the oldest, so that idle clients can't keep others out.
    static let mostClients = 16
    /// The time for request and answer together.
    static let patience = Duration.seconds(5)
    /// How long to wait for the client to close after its answer.
    private static let lingering = Duration.seconds(1)

    /// Listens on the address and starts the thread.
    ///
    /// - Parameters:
    ///   - token: what a client must send. Nil: everyone who reaches the address gets the metrics. On a loopback
    ///     address, hosts that are names are then refused.
    ///   - page: makes the page, in the format of `MetricFamily.page`. Called on the clients' threads.
    /// - Throws: `MetricsError` with code `.listen` or `.resources`.
    package init(
        at address: ListenAddress,
        token: Secret? = nil,
        page: @escaping @Sendable () -> [UInt8]
    ) throws(MetricsError) {
        let listener = try Self.listen(address)
        let rule = ScrapeRule(token: token, allowsNames: token != nil || !address.isLoopback)
        let clients = ScrapeClients()
        let accepting = DedicatedThread.start(named: "metrics") {
            while let client = Self.accept(listener, clients) {
                let thread = DedicatedThread.start(named: "scrape") {
                    Self.serve(client, ScrapeRequest(rule), page)
                    clients.end(client)
                }
                if let thread { pthread_detach(thread) } else { clients.end(client) }
            }
        }
        guard let thread = accepting else {
            close(listener)
            throw MetricsError(.resources, "\(address)", EAGAIN)
        }
        (self.listener, self.thread, self.clients) = (listener, thread, clients)
    }

    deinit { stop() }

    /// Closes all sockets and waits for the threads, so the address is free afterwards. Must not be called from `page`.
    package func stop() {
        guard clients.close() else { return }
        // Ends a wait in accept(2).
        shutdown(listener, Int32(SHUT_RDWR))
        pthread_join(thread, nil)
        clients.waitForAll()
        close(listener)
    }

    private static func listen(_ address: ListenAddress) throws(MetricsError) -> Int32 {
        let listener = socket(address.family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard listener >= 0 else { throw MetricsError(.listen, "\(address)", errno) }
        // Else connections of a daemon that has just ended would block the port.
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard address.withSocketAddress({ bind(listener, $0, $1) }) == 0, Glibc.listen(listener, 64) == 0 else {
            let number = errno
            close(listener)
            throw MetricsError(.listen, "\(address)", number)
        }
        return listener
    }

    /// The next client. Nil after `stop`.
    private static func accept(_ listener: Int32, _ clients: ScrapeClients) -> Int32? {
        while clients.areOpen {
            let client = Glibc.accept(listener, nil, nil)
            if client >= 0 {
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                if clients.begin(client) { return client }
            } else if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
                sleep(1)
            }
        }
        return nil
    }

    /// Reads the request, writes the answer, and waits for the client to close. A reset would take the answer from a
    /// client that still sends (RFC 9112, section 9.6).
    private static func serve(_ client: Int32, _ request: ScrapeRequest, _ page: () -> [UInt8]) {
        let end = ContinuousClock.now + patience
        var request = request
        var outcome: ScrapeRequest.Outcome?
        repeat {
            guard let bytes = receive(client, until: end) else { return }
            outcome = request.take(bytes)
        } while outcome == nil
        var answer = outcome.map { ScrapeAnswer.bytes($0, page: page) }?[...] ?? []
        while !answer.isEmpty {
            guard wait(for: POLLOUT, client, until: end) else { return }
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
            let count = answer.withUnsafeBytes { send(client, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return }
            answer = answer.dropFirst(count)
        }
        shutdown(client, Int32(SHUT_WR))
        let last = min(end, .now + lingering)
        while receive(client, until: last) != nil {}
    }

    /// At most 2,048 bytes. Nil if the client has ended, or at the deadline.
    private static func receive(_ client: Int32, until end: ContinuousClock.Instant) -> [UInt8]? {
        guard wait(for: POLLIN, client, until: end) else { return nil }
        var buffer = [UInt8](repeating: 0, count: 2048)
        let count = recv(client, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer[..<count]) : nil
    }

    private static func wait(for events: Int32, _ client: Int32, until end: ContinuousClock.Instant) -> Bool {
        while true {
            // Rounded up: else poll would return at once, again and again, in the last millisecond.
            let left = ((end - .now) / .milliseconds(1)).rounded(.up)
            var one = pollfd(fd: client, events: Int16(events), revents: 0)
            let ready = left > 0 ? poll(&one, 1, Int32(left)) : 0
            if ready >= 0 || errno != EINTR { return ready > 0 }
        }
    }
}

/// The sockets of the clients, each closed by its thread.
private final class ScrapeClients: Sendable {
    /// The oldest first. Nil after `close`.
    private let sockets = Mutex<[Int32]?>([])
    /// One for each thread.
    private let places = DispatchSemaphore(value: ScrapeServer.mostClients)

    var areOpen: Bool { sockets.withLock { $0 != nil } }

    /// Takes a new client, if need be in the place of the oldest.
    func begin(_ client: Int32) -> Bool {
        let isOpen = sockets.withLock { sockets in
            guard let count = sockets?.count else { return false }
            if count == ScrapeServer.mostClients, let oldest = sockets?.removeFirst() { Self.cutOff(oldest) }
            sockets?.append(client)
            return true
        }
        if isOpen { places.wait() } else { Glibc.close(client) }
        return isOpen
    }

    func end(_ client: Int32) {
        // Together, since another client may get the number.
        sockets.withLock { sockets in
            sockets?.removeAll { $0 == client }
            _ = Glibc.close(client)
        }
        places.signal()
    }

    /// Cuts off all. False if that was done before.
    func close() -> Bool {
        sockets.withLock { sockets in
            defer { sockets = nil }
            sockets?.forEach(Self.cutOff)
            return sockets != nil
        }
    }

    func waitForAll() {
        for _ in 0..<ScrapeServer.mostClients { places.wait() }
        for _ in 0..<ScrapeServer.mostClients { places.signal() }
    }

    private static func cutOff(_ client: Int32) { shutdown(client, Int32(SHUT_RDWR)) }
}

/// Why metrics can't be served, and what to do.
package struct MetricsError: Error, Sendable, Equatable, CustomStringConvertible {
    enum Code: Sendable { case listen, resources }

    private let code: Code
    private let number: Int32
    private let place: String

    init(_ code: Code, _ place: String, _ number: Int32) {
        self.code = code
        self.place = place
        self.number = number
    }

    package var description: String {
        let cause = String(cString: strerror(number))
        return switch code {
        case .listen: "can't listen on \(place) (\(cause)): \(listenRemedy)"
        case .resources:
            "no thread or descriptor is left to listen on \(place) (\(cause)): raise LimitNOFILE or TasksMax in the unit"
        }
    }

    private var listenRemedy: String {
        switch number {
        case EADDRINUSE: "another program has the port; give metrics.listen another one"
        // bind(2) itself never fails so. SocketBindDeny= of the unit does.
        case EPERM: "allow the port in the unit, as /usr/share/doc/nudged/examples/metrics-listen.conf does"
        default: "correct metrics.listen"
        }
    }
}
