import Glibc

/// The address of an AF_UNIX socket: a path, or a name in Linux's abstract namespace (unix(7)).
public struct UnixAddress: Sendable, Equatable {
    /// The bytes of `sun_path`, with the leading zero of an abstract name and without a path's closing zero.
    let path: [UInt8]

    /// - Parameter text: an absolute path, or `@name` for an abstract one, as `NOTIFY_SOCKET` holds it.
    ///   Nil for anything else (systemd also knows `vsock:`, which no container or host of ours hands out) and where it is too long.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        guard let first = bytes.first, bytes.count > 1, !bytes.contains(0) else { return nil }
        switch first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): bytes[0] = 0
        default: return nil
        }
        // One byte stays for the closing zero, which connect(2) doesn't need but getsockname(2) of others shows.
        guard bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        path = bytes
    }

    /// Calls `body` with the address as the socket calls want it.
    func withSocketAddress<R>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // An abstract name ends where the length says, so trailing zeros would be part of it.
        let header = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? MemoryLayout<sa_family_t>.size
        let length = socklen_t(header + path.count + (path.first == 0 ? 0 : 1))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
