import Glibc

/// A TCP client on the loopback that sends whatever bytes a test wants. It waits for an answer, or an end, for half a minute at most.
package final class LoopbackClient: Sendable {
    private let descriptor: Int32

    /// Connects; nil where nobody listens.
    package init?(port: UInt16, isVersion6: Bool = false) {
        descriptor = socket(isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let isConnected: Bool
        if isVersion6 {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            isConnected = Self.connect(descriptor, &address)
        } else {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            isConnected = Self.connect(descriptor, &address)
        }
        // deinit closes the descriptor then, too.
        guard isConnected else { return nil }
    }

    deinit { close(descriptor) }

    private static func connect<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    /// Sends bytes. Whether all of them went; not where the server has left.
    @discardableResult
    package func send(_ text: String) -> Bool {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            bytes = bytes.dropFirst(count)
        }
        return true
    }

    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// All that comes until the server ends; nil where it didn't in time, or broke off.
    package func readAll() -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            guard count > 0 else { return nil }
            bytes += buffer[..<count]
        }
    }

    /// The whole answer to a request for the metrics; nil where there was none.
    package static func scrape(port: UInt16, isVersion6: Bool = false) -> String? {
        guard let client = LoopbackClient(port: port, isVersion6: isVersion6) else { return nil }
        client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n")
        return client.readAll()
    }

    /// A TCP port of 127.0.0.1 that was free a moment ago. It is below those that Linux hands out by itself, so that
    /// nobody else's connection or server gets it before it is used.
    package static func freePort() -> UInt16 {
        var port: UInt16 = 0
        repeat { port = UInt16.random(in: 12_000..<20_000) } while !isFree(port)
        return port
    }

    private static func isFree(_ port: UInt16) -> Bool { LoopbackPort(port) != nil }
}

/// A port of 127.0.0.1 that is taken. Without a backlog nobody listens.
package final class LoopbackPort: Sendable {
    package let port: UInt16
    let descriptor: Int32

    /// - Parameter port: 0: any that is free.
    package init?(_ port: UInt16 = 0, backlog: Int32? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let descriptor = descriptor
        let isTaken = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && backlog.map { listen(descriptor, $0) == 0 } != false
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        // deinit closes the descriptor then, too.
        guard isTaken else { return nil }
    }

    deinit { close(descriptor) }
}
