import Glibc

/// The address of an AF_UNIX socket: a path, or a name in Linux's abstract namespace (unix(7)).
public struct UnixAddress: Sendable, Equatable {
    /// The bytes of `sun_path`. An abstract name has its leading zero, and a path has no closing zero.
    let path: [UInt8]

    /// Nil if the text is something else or too long. systemd also has `vsock:`, which is not supported.
    ///
    /// - Parameter text: An absolute path, or `@name` for an abstract name, as in `NOTIFY_SOCKET`.
    public init?(_ text: String) {
        var bytes = Array(text.utf8)
        guard let first = bytes.first, bytes.count > 1, !bytes.contains(0) else { return nil }
        switch first {
        case UInt8(ascii: "/"): break
        case UInt8(ascii: "@"): bytes[0] = 0
        default: return nil
        }
        // One byte is left for the closing zero. connect(2) doesn't need it, but getsockname(2) shows it to other
        // programs.
        guard bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
        path = bytes
    }

    /// Calls `body` with the address in the form that socket calls need.
    func withSocketAddress<R>(_ body: (UnsafeMutablePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        // The length ends an abstract name, so trailing zeros would be a part of it.
        let header = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? MemoryLayout<sa_family_t>.size
        let length = socklen_t(header + path.count + (path.first == 0 ? 0 : 1))
        return withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }
}
