import Glibc

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
    private var request = ScrapeRequest()
    private var answer: ArraySlice<UInt8> = []

    /// The time for request and answer together.
    static let patience = Duration.seconds(5)
    /// How long to wait for the client to close after its answer.
    static let lingering = Duration.seconds(1)

    /// - Parameter descriptor: a non-blocking socket. This object closes it.
    init(_ descriptor: Int32, now: ContinuousClock.Instant) {
        self.descriptor = descriptor
        deadline = now + Self.patience
    }

    deinit { close(descriptor) }

    /// The event that poll(2) waits for.
    var events: Int16 { Int16(phase == .writing ? POLLOUT : POLLIN) }

    /// Continues as far as it can without blocking.
    ///
    /// - Parameter page: makes the metrics.
    func proceed(now: ContinuousClock.Instant, page: () -> [UInt8]) {
        if phase == .reading { read(page) }
        if phase == .writing { write(now) }
        if phase == .lingering { discard() }
    }

    private func read(_ page: () -> [UInt8]) {
        while phase == .reading {
            guard let bytes = receive() else { return }
            guard let outcome = request.take(bytes) else { continue }
            answer = ScrapeAnswer.bytes(outcome, page: page)[...]
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

    /// A bounded number of reads in each call, so that a client which keeps sending delays no other. The deadline ends
    /// it.
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
