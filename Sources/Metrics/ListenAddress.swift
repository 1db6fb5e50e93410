import Glibc

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
