import Base
import Dispatch
import Glibc
import HTTP2
package import Certificates

/// An HTTP/2 server on a loopback address: one thread, many connections, behaviour by a `ServerHandler`.
package final class Server: Sendable {
    private let loop: ServerLoop
    private let thread = Mutex<pthread_t?>(nil)

    package var port: UInt16 { loop.port }

    /// What it has counted so far. The counts are updated after a read, before the answers to it are written.
    package var counters: ServerCounters { loop.counters.now.withLock { $0 } }

    /// Opens the listening sockets. Clients may connect at once, and are served after `start`.
    package init(configuration: ServerConfiguration, handler: any ServerHandler) throws {
        loop = try ServerLoop(configuration, handler)
    }

    deinit { stop() }

    /// Starts serving. A second call does nothing.
    package func start() throws {
        let loop = loop
        try thread.withLock { thread in
            if thread == nil { thread = DedicatedThread.start(named: "http2-server") { loop.run() } }
            if thread == nil { throw ServerError("no thread left for a server") }
        }
    }

    /// Closes the listening sockets, so that connections are refused until `acceptConnections`. Connections whose
    /// handshake is over stay open; others are closed.
    /// Call it after `start`, and not from the handler.
    package func refuseConnections() { _ = setListening(false) }

    package func acceptConnections() throws {
        guard setListening(true) else { throw ServerError("can't listen again on port \(port)") }
    }

    private func setListening(_ listens: Bool) -> Bool {
        let latch = Latch()
        loop.inbox.put { latch.open($0.listen(listens)) }
        return latch.wait()
    }

    /// Closes everything and waits until the thread has ended. Called from the handler, it doesn't wait.
    package func stop() {
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        // Also before `start`: a thread that starts later ends at once.
        loop.inbox.stop()
        guard let thread else { return }
        _ = pthread_equal(thread, pthread_self()) != 0 ? pthread_detach(thread) : pthread_join(thread, nil)
    }

    /// A port that is free on the first address may be taken on another. Then it tries another free port.
    static func listen(_ configuration: ServerConfiguration, port wanted: UInt16) throws -> ([Int32], port: UInt16) {
        var tries = wanted == 0 ? 16 : 1
        while true {
            var listeners: [Int32] = []
            var port = wanted
            do {
                for address in [configuration.address] + configuration.furtherAddresses {
                    let bound = try listen(address, port)
                    listeners.append(bound.listener)
                    port = bound.port
                }
                return (listeners, port)
            } catch {
                for listener in listeners { Glibc.close(listener) }
                tries -= 1
                if tries == 0 { throw error }
            }
        }
    }

    private static func listen(_ host: String, _ port: UInt16) throws -> (listener: Int32, port: UInt16) {
        guard let address = try? SocketAddress.resolve(host, port: port, isNumeric: true).first
        else { throw ServerError("\(host) is no numeric address") }
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(address.family, kind, 0)
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard listener >= 0, address.withAddress({ bind(listener, $0, $1) }) == 0, Glibc.listen(listener, 128) == 0
        else {
            let number = errno
            if listener >= 0 { Glibc.close(listener) }
            throw ServerError("can't listen on \(host) port \(port): \(String(cString: strerror(number)))")
        }
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let port = withUnsafeMutableBytes(of: &bound) { bytes -> UInt16 in
            guard let start = bytes.baseAddress else { return 0 }
            getsockname(listener, start.assumingMemoryBound(to: sockaddr.self), &length)
            // In both address types the port follows the two bytes of the family, in network order.
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
        return (listener, port)
    }
}

package struct ServerConfiguration: Sendable {
    /// The numeric address to listen on, `127.0.0.1` or `::1`.
    package var address = "127.0.0.1"
    /// Further numeric addresses on the same port, such as `::1` beside `127.0.0.1`. Default none.
    package var furtherAddresses: [String] = []
    /// The TCP port; 0 takes any free one, see `Server.port`.
    package var port: UInt16 = 0
    package var certificate: IssuedCertificate
    /// Whether TLS handshakes are answered. If false, TCP connections are accepted, but nothing is read or written.
    package var shakesHands = true
    /// Whether ALPN `h2` is agreed on. False imitates a server without HTTP/2.
    package var offersHTTP2 = true
    /// MAX_CONCURRENT_STREAMS in the first SETTINGS frame; nil leaves it out. Default 1,000.
    package var maxConcurrentStreams: UInt32? = 1_000
    /// INITIAL_WINDOW_SIZE in the first SETTINGS frame: the bytes of a body that need no WINDOW_UPDATE. Default 1 MiB.
    package var initialWindowSize: UInt32 = 1 << 20
    /// The window of the whole connection. Default 64 MiB, at least 65,535 (RFC 9113 section 6.9.2).
    package var connectionWindowSize: UInt32 = 1 << 26
    package var updatesWindows = true
    package var answersPings = true

    package init(_ certificate: IssuedCertificate) { self.certificate = certificate }
}

/// A server can't be started or can't listen. (A client's failures are a `CloseReason`.)
package struct ServerError: Error, CustomStringConvertible {
    package let description: String

    init(_ description: String) { self.description = description }
}

final class Latch: Sendable {
    private let opened = DispatchSemaphore(value: 0)
    private let outcome = Mutex(false)

    func open(_ isGood: Bool) {
        outcome.withLock { $0 = isGood }
        opened.signal()
    }

    /// Blocks until `open`. Returns its result, or false after ten seconds.
    func wait() -> Bool {
        _ = opened.wait(timeout: .now() + 10)
        return outcome.withLock { $0 }
    }
}
