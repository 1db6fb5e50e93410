import Glibc

/// A loopback address with a TCP port, such as `127.0.0.1:9464` or `[::1]:9464`. Other machines can't reach it.
package struct LoopbackAddress: Sendable, Hashable, CustomStringConvertible {
    /// The bytes of an address in 127.0.0.0/8 (RFC 1122, section 3.2.1.3). Nil: ::1 (RFC 4291, section 2.5.3).
    private let version4: [UInt8]?
    let port: UInt16

    /// - Parameter text: an address as above with a port of at least 1. Nil for every other text.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = Self.number(text[text.index(after: colon)...]), port > 0
        else { return nil }
        let parts = text[..<colon].split(separator: ".", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { Self.number($0).flatMap { UInt8(exactly: $0) } }
        guard text[..<colon] == "[::1]" || parts.count == 4 && bytes.count == 4 && bytes[0] == 127 else { return nil }
        version4 = bytes.isEmpty ? nil : bytes
        self.port = port
    }

    /// Decimal digits without a leading zero: some programs read a leading zero as octal.
    private static func number(_ text: Substring) -> UInt16? {
        let isPlain = text.utf8.allSatisfy { (0x30...0x39).contains($0) } && (text.first != "0" || text.count == 1)
        return isPlain ? UInt16(text) : nil
    }

    /// The form that `init(_:)` reads.
    package var description: String {
        "\(version4.map { $0.map(String.init).joined(separator: ".") } ?? "[::1]"):\(port)"
    }

    var family: Int32 { version4 == nil ? AF_INET6 : AF_INET }

    /// Passes the address to `body`. The pointer is valid only during the call.
    func withSocketAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        guard let version4 else {
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            withUnsafeMutableBytes(of: &address.sin6_addr) { $0[15] = 1 }
            return Self.lend(&address, body)
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: version4) }
        return Self.lend(&address, body)
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
