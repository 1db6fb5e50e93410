import Glibc

/// One client: reads its request, writes the answer, and ends. Used on the server's thread only.
final class ScrapeConnection {
    enum Phase {
        /// → writing: the head is whole, or none; ended: the client left.
        case reading
        /// → lingering: all is written; ended: the client left.
        case writing
        /// → ended: the client left. Closed at once, what it still sends would be answered by a reset, which takes the answer away (RFC 9112, section 9.6).
        case lingering
        case ended
    }

    let descriptor: Int32
    private(set) var phase = Phase.reading
    /// It ends by then, whatever it does.
    private(set) var deadline: ContinuousClock.Instant
    private var request = ScrapeRequest()
    private var answer: ArraySlice<UInt8> = []

    /// For request and answer together.
    static let patience = Duration.seconds(5)
    /// For the client's own end, once it has its answer.
    static let lingering = Duration.seconds(1)

    /// - Parameter descriptor: not blocking; closed with this.
    init(_ descriptor: Int32, now: ContinuousClock.Instant) {
        self.descriptor = descriptor
        deadline = now + Self.patience
    }

    deinit { close(descriptor) }

    /// What to wait for.
    var events: Int16 { Int16(phase == .writing ? POLLOUT : POLLIN) }

    /// Goes on as far as it can without waiting.
    ///
    /// - Parameter page: the metrics.
    func proceed(now: ContinuousClock.Instant, page: () -> [UInt8]) {
        if phase == .reading { read(page) }
        if phase == .writing { write(now) }
        if phase == .lingering { discard() }
    }

    private func read(_ page: () -> [UInt8]) {
        while phase == .reading {
            guard let bytes = receive() else { return }
            guard let verdict = request.take(bytes) else { continue }
            answer = ScrapeAnswer.bytes(verdict, page: page)[...]
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

    /// A few pieces a turn: who goes on sending keeps nobody waiting, and is gone at the deadline.
    private func discard() {
        for _ in 0..<16 where phase == .lingering {
            if receive() == nil { return }
        }
    }

    /// What has come, at most a piece; nil where nothing has, or the client left.
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
