import Base
import Glibc

/// Serves `GET /metrics` on a loopback address, on a thread of its own. A slow or endless client costs a bounded number
/// of bytes for a bounded time.
package final class ScrapeServer: Sendable {
    /// The TCP port that the server listens on.
    package let port: UInt16
    /// Closing `stop` ends the thread. Nil after `stop()`.
    private let ending: Mutex<(stop: Int32, thread: pthread_t)?>

    /// Listens on the address and starts the thread.
    ///
    /// - Parameter page: makes the page, in the format of `MetricFamily.page`. Called on the server's thread.
    /// - Throws: `MetricsError` with code `.listen` or `.resources`.
    package init(at address: LoopbackAddress, page: @escaping @Sendable () -> [UInt8]) throws(MetricsError) {
        let listener = try Self.listen(address)
        port = Self.port(of: listener)
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            let number = errno
            close(listener)
            throw MetricsError(.resources, "\(address)", number)
        }
        let loop = ScrapeLoop(listener: listener, stop: ends[0], page: page)
        guard let thread = DedicatedThread.start(named: "metrics", { loop.run() }) else {
            for descriptor in ends + [listener] { close(descriptor) }
            throw MetricsError(.resources, "\(address)", EAGAIN)
        }
        ending = Mutex((ends[1], thread))
    }

    deinit { stop() }

    /// Closes all sockets and waits for the thread, so the address is free afterwards. Must not be called from `page`.
    package func stop() {
        let end = ending.withLock { ending in
            defer { ending = nil }
            return ending
        }
        guard let end else { return }
        // Closing this end makes the other end readable.
        close(end.stop)
        pthread_join(end.thread, nil)
    }

    private static func listen(_ address: LoopbackAddress) throws(MetricsError) -> Int32 {
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let listener = socket(address.family, kind, 0)
        guard listener >= 0 else { throw MetricsError(.listen, "\(address)", errno) }
        // Else connections of a daemon that has just ended would block the port.
        var one: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
        guard address.withSocketAddress({ bind(listener, $0, $1) }) == 0, Glibc.listen(listener, 16) == 0 else {
            let number = errno
            close(listener)
            throw MetricsError(.listen, "\(address)", number)
        }
        return listener
    }

    private static func port(of listener: Int32) -> UInt16 {
        var bound = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &bound) { bytes in
            guard let start = bytes.baseAddress else { return 0 }
            getsockname(listener, start.assumingMemoryBound(to: sockaddr.self), &length)
            // `sin_port` and `sin6_port` both follow the two bytes of the family, in network order.
            return UInt16(bigEndian: bytes.load(fromByteOffset: 2, as: UInt16.self))
        }
    }
}
