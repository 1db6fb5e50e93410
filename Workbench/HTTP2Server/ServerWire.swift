import CNGHTTP2
import Glibc
import OpenSSL

/// A client's connection for the server's thread: socket, TLS, session. It owns the socket.
final class ServerWire {
    enum State { case open, ended }

    let descriptor: Int32
    let tls: TLSConnection
    let session: ServerSession
    var isHandshaken = false
    var isReading = true
    var endsOnceWritten = false
    var isBlocked = false
    /// Whether TLS may hold bytes that epoll doesn't report.
    var mayHoldMore = false
    var watched: UInt32 = 0

    init(descriptor: Int32, tls: TLSConnection, session: ServerSession) {
        (self.descriptor, self.tls, self.session) = (descriptor, tls, session)
    }

    deinit { Glibc.close(descriptor) }

    var wanted: UInt32 { (isReading ? EPOLLIN.rawValue : 0) | (isBlocked ? EPOLLOUT.rawValue : 0) }

    /// Nil while the handshake goes on.
    func shake() -> State? {
        switch (try? tls.handshake()) ?? .closed {
        case .done:
            isHandshaken = true
            isBlocked = false
            mayHoldMore = true
            return .open
        case .wantsRead: isBlocked = false
        case .wantsWrite: isBlocked = true
        case .closed: return .ended
        }
        return nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer) -> State {
        mayHoldMore = false
        for _ in 0..<64 where isReading {
            switch (try? tls.read(into: buffer)) ?? .closed {
            case .done(let count):
                session.receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                if session.hasFailed { return .ended }
            case .wantsRead, .wantsWrite: return .open
            case .closed: return .ended
            }
        }
        mayHoldMore = isReading
        return .open
    }

    func write() -> State {
        while !isBlocked {
            session.fill()
            if session.hasFailed { return .ended }
            if session.output.isEmpty { break }
            switch (try? tls.write(session.output.offer())) ?? .closed {
            case .done(let count): session.output.accept(count)
            case .wantsRead, .wantsWrite: isBlocked = true
            case .closed: return .ended
            }
        }
        if endsOnceWritten, !isBlocked { return .ended }
        guard session.isSpent else { return .open }
        tls.close()
        return .ended
    }

    func armReset() {
        var linger = Glibc.linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
}
