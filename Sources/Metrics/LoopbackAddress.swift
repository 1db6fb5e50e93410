import Glibc

/// A loopback address with a TCP port, such as `127.0.0.1:9464` or `[::1]:9464`. Other machines can't reach it.
package struct LoopbackAddress: Sendable, Hashable, CustomStringConvertible {
    private enum Host: Hashable {
        /// An address in 127.0.0.0/8 (RFC 1122, section 3.2.1.3).
        case version4(UInt8, UInt8, UInt8, UInt8)
        /// The address ::1 (RFC 4291, section 2.5.3).
        case version6
    }

    private let host: Host
    /// 0 lets the system choose a free port; only tests use it.
    let port: UInt16

    /// - Parameter text: an address as above with a port of at least 1. Nil for every other text.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.number(text[text.index(after: colon)...]), port > 0
        else { return nil }
        self.port = port
        let name = text[..<colon]
        if name == "[::1]" {
            host = .version6
            return
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { Self.number($0) }
        guard parts.count == 4, parts[0] == 127 else { return nil }
        let bytes = parts.compactMap { $0.flatMap { UInt8(exactly: $0) } }
        guard bytes.count == 4 else { return nil }
        host = .version4(bytes[0], bytes[1], bytes[2], bytes[3])
    }

    /// Any free port, for tests.
    init(isVersion6: Bool) {
        host = isVersion6 ? .version6 : .version4(127, 0, 0, 1)
        port = 0
    }

    /// Decimal digits without a leading zero: some programs read a leading zero as octal.
    private static func number(_ text: Substring) -> UInt16? {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && (text.first != "0" || text.count == 1)
        return isPlain ? UInt16(text) : nil
    }

    /// The form that `init(_:)` reads.
    package var description: String {
        switch host {
        case .version4(let a, let b, let c, let d): "\(a).\(b).\(c).\(d):\(port)"
        case .version6: "[::1]:\(port)"
        }
    }

    var family: Int32 { host == .version6 ? AF_INET6 : AF_INET }

    /// Passes the address to `body`. The pointer is valid only during the call.
    func withSocketAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        switch host {
        case .version4(let a, let b, let c, let d):
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: [a, b, c, d]) }
            return Self.lend(&address, body)
        case .version6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            return Self.lend(&address, body)
        }
    }

    private static func lend<Address, R>(
        _ address: inout Address,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<Address>.size))
            }
        }
    }
}
