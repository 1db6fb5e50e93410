package import Base
import Glibc

/// Serves `GET /metrics` on a thread of its own. A slow or endless client costs bounded bytes for a bounded time.
package final class ScrapeServer: Sendable {
    /// Closing `stop` ends the thread. Nil after `stop()`.
    private let ending: Mutex<(stop: Int32, thread: pthread_t)?>

    /// Listens on the address and starts the thread.
    /// - Parameters:
    ///   - token: what a client must send. Nil: all get the metrics, on loopback only under localhost or a numeric host.
    ///   - page: makes the page, in the format of `MetricFamily.page`. Called on the server's thread.
    package init(
        at address: ListenAddress,
        token: Secret? = nil,
        page: @escaping @Sendable () -> [UInt8]
    ) throws(MetricsError) {
        let listener = try Self.listen(address)
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            let number = errno
            close(listener)
            throw .resources("\(address)", number)
        }
        let rule = ScrapeRule(token: token, allowsNames: token != nil || !address.isLoopback)
        let loop = ScrapeLoop(listener: listener, stop: ends[0], rule: rule, page: page)
        guard let thread = DedicatedThread.start(named: "metrics", { loop.run() }) else {
            for descriptor in ends + [listener] { close(descriptor) }
            throw .resources("\(address)", EAGAIN)
        }
        ending = Mutex((ends[1], thread))
    }

    deinit { stop() }

    /// Closes all sockets and waits for the thread, so the address is free afterwards. Must not be called from `page`.
    package func stop() {
        guard let end = ending.withLock({ exchange(&$0, with: nil) }) else { return }
        // Closing this end makes the other end readable.
        close(end.stop)
        pthread_join(end.thread, nil)
    }

    private static func listen(_ address: ListenAddress) throws(MetricsError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(address.family, kind, 0)
        guard listener >= 0 else { throw .listen("\(address)", errno) }
        // Else connections of a daemon that has just ended would block the port.
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard address.withSocketAddress({ bind(listener, $0, $1) }) == 0, Glibc.listen(listener, 16) == 0 else {
            let number = errno
            close(listener)
            throw .listen("\(address)", number)
        }
        return listener
    }
}

/// The work of the server's thread: accepts clients and serves each as far as it can without blocking.
struct ScrapeLoop: Sendable {
    /// A non-blocking socket. `run` closes it.
    let listener: Int32
    /// Readable when the loop must end. `run` closes it.
    let stop: Int32
    let rule: ScrapeRule
    let page: @Sendable () -> [UInt8]

    /// The most open connections. A further client replaces the oldest one, so that idle clients can't keep others out.
    static let mostConnections = 16
    private static let rest = Duration.seconds(1)

    /// Runs until `stop` is readable. Then everything is closed.
    func run() {
        // The oldest first.
        var connections: [ScrapeConnection] = []
        // Set if the system had no descriptor left. Until then nothing is accepted.
        var restsUntil: ContinuousClock.Instant?
        while true {
            let now = ContinuousClock.now
            if let until = restsUntil, until <= now { restsUntil = nil }
            connections.removeAll { $0.phase == .ended || $0.deadline <= now }
            // poll(2) ignores a negative descriptor.
            let own = [stop, restsUntil == nil ? listener : -1]
            var polls = own.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            polls += connections.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
            let next = (connections.map(\.deadline) + [restsUntil].compactMap(\.self)).min()
            // Rounded up: else poll would return at once, again and again, in the last millisecond. -1: no end.
            let wait: Int32 = next.map { Int32(max(0, (($0 - now) / .milliseconds(1)).rounded(.up))) } ?? -1
            guard poll(&polls, nfds_t(polls.count), wait) >= 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                break
            }
            if polls[0].revents != 0 { break }
            let then = ContinuousClock.now
            for (connection, poll) in zip(connections, polls.dropFirst(2)) where poll.revents != 0 {
                connection.proceed(now: then, page: page)
            }
            if polls[1].revents != 0, !accept(then, into: &connections) { restsUntil = then + Self.rest }
        }
        connections = []
        close(listener)
        close(stop)
    }

    /// Returns false if the system has no descriptor left.
    private func accept(_ now: ContinuousClock.Instant, into connections: inout [ScrapeConnection]) -> Bool {
        // Bounded, so that a stream of new connections doesn't keep open ones waiting.
        for _ in 0..<Self.mostConnections {
            let descriptor = Glibc.accept(listener, nil, nil)
            guard descriptor >= 0 else { return ![EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) }
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
                close(descriptor)
                continue
            }
            if connections.count == Self.mostConnections { connections.removeFirst() }
            connections.append(ScrapeConnection(descriptor, rule, now: now))
            // Usually the request has arrived already.
            connections.last?.proceed(now: now, page: page)
        }
        return true
    }
}

/// One client: reads the request, writes the answer and closes. Used only on the server's thread.
final class ScrapeConnection {
    enum Phase {
        /// → writing: the head is complete or invalid; ended: the client closed.
        case reading
        /// → lingering: everything is written; ended: the client closed.
        case writing
        /// → ended: the client closed. The socket stays open so long because a reset would take the answer from a
        /// client that still sends (RFC 9112, section 9.6).
        case lingering
        case ended
    }

    let descriptor: Int32
    private(set) var phase = Phase.reading
    /// When the loop closes the connection, in any phase.
    private(set) var deadline: ContinuousClock.Instant
    private var request: ScrapeRequest
    private var answer: ArraySlice<UInt8> = []

    /// The time for request and answer together.
    static let patience = Duration.seconds(5)
    /// How long to wait for the client to close after its answer.
    static let lingering = Duration.seconds(1)

    /// - Parameter descriptor: a non-blocking socket. This object closes it.
    init(_ descriptor: Int32, _ rule: ScrapeRule, now: ContinuousClock.Instant) {
        self.descriptor = descriptor
        request = ScrapeRequest(rule)
        deadline = now + Self.patience
    }

    deinit { close(descriptor) }

    var events: Int16 { Int16(phase == .writing ? POLLOUT : POLLIN) }

    /// Continues as far as it can without blocking.
    func proceed(now: ContinuousClock.Instant, page: () -> [UInt8]) {
        if phase == .reading { read(page) }
        if phase == .writing { write(now) }
        if phase == .lingering { discard() }
    }

    private func read(_ page: () -> [UInt8]) {
        while phase == .reading, let bytes = receive() {
            guard let outcome = request.take(bytes) else { continue }
            answer = outcome.answer(page)[...]
            phase = .writing
        }
    }

    private func write(_ now: ContinuousClock.Instant) {
        while !answer.isEmpty {
            let count = answer.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { return }
            guard count > 0 else {
                phase = .ended
                return
            }
            answer = answer.dropFirst(count)
        }
        shutdown(descriptor, Int32(SHUT_WR))
        phase = .lingering
        deadline = min(deadline, now + Self.lingering)
    }

    /// A bounded number of reads in each call: a client that keeps sending delays no other. The deadline ends it.
    private func discard() {
        for _ in 0..<16 where phase == .lingering {
            if receive() == nil { return }
        }
    }

    /// At most 2,048 bytes that have arrived. Nil if there are none or the connection has ended.
    private func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return Array(buffer[..<count]) }
            if count < 0, errno == EINTR { continue }
            if count == 0 || errno != EAGAIN { phase = .ended }
            return nil
        }
    }
}

package struct MetricsError: Error, Sendable, Equatable, CustomStringConvertible {
    package let description: String

    private init(_ what: String, _ place: String, _ number: Int32, _ remedy: String) {
        description = "\(what) \(place) (\(String(cString: strerror(number)))): \(remedy)"
    }

    static func resources(_ place: String, _ number: Int32) -> MetricsError {
        let remedy = "raise LimitNOFILE or TasksMax in the unit"
        return MetricsError("no thread or descriptor is left to listen on", place, number, remedy)
    }

    static func listen(_ place: String, _ number: Int32) -> MetricsError {
        let remedy =
            switch number {
            case EADDRINUSE: "another program has the port; give metrics.listen another one"
            // bind(2) itself never fails so. SocketBindDeny= of the unit does.
            case EPERM: "allow the port in the unit, as /usr/share/doc/nudged/examples/metrics-listen.conf does"
            default: "correct metrics.listen"
            }
        return MetricsError("can't listen on", place, number, remedy)
    }
}

/// A numeric address with a TCP port to listen on, such as `127.0.0.1:9464`, `[::1]:9464` or `0.0.0.0:9464`.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// Four bytes of IPv4, or sixteen of IPv6.
    private let bytes: [UInt8]
    package let port: UInt16

    /// - Parameter text: an address as above with a port of at least 1. Nil for every other text.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let (host, digits) = (text[..<colon], text[text.index(after: colon)...])
        // Some programs read a leading zero as octal.
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), digits.first != "0", let port = UInt16(digits)
        else { return nil }
        let isVersion6 = host.first == "[" && host.last == "]"
        let name = isVersion6 ? host.dropFirst().dropLast() : host
        var bytes = [UInt8](repeating: 0, count: isVersion6 ? 16 : 4)
        // A zero would end the text for inet_pton(3).
        guard !name.utf8.contains(0), inet_pton(isVersion6 ? AF_INET6 : AF_INET, String(name), &bytes) == 1
        else { return nil }
        self.bytes = bytes
        self.port = port
    }

    /// Whether only this machine reaches it: 127.0.0.0/8 (RFC 1122, section 3.2.1.3) or ::1 (RFC 4291, section 2.5.3).
    package var isLoopback: Bool {
        family == AF_INET ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }

    /// The form that `init(_:)` reads.
    package var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(family, bytes, &text, socklen_t(text.count))
        let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return family == AF_INET ? "\(name):\(port)" : "[\(name)]:\(port)"
    }

    var family: Int32 { bytes.count == 4 ? AF_INET : AF_INET6 }

    /// Passes the address to `body`. The pointer is valid only during the call.
    func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        let isVersion4 = family == AF_INET
        // Both kinds begin with the family and the port. IPv6 has four bytes more before the address.
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(family)
        address.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &address) { whole in
            UnsafeMutableRawBufferPointer(rebasing: whole[(isVersion4 ? 4 : 8)...]).copyBytes(from: bytes)
        }
        let size = isVersion4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }
}
