import CLinux
import Glibc

/// An unconnected AF_UNIX datagram socket. Each datagram names its receiver, so a restarted receiver still gets it.
final class DatagramSocket: Sendable {
    enum Outcome: Equatable {
        case sent
        case congested
        /// The datagram is too large for the socket or the receiver (EMSGSIZE, ENOBUFS).
        case tooLarge
        /// No process listens there, or another error. The value is errno.
        case failed(Int32)
    }

    private let descriptor: Int32

    init?(patience: Duration) {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        let (seconds, rest) = Int(patience / .microseconds(1)).quotientAndRemainder(dividingBy: 1_000_000)
        var limit = timeval(tv_sec: seconds, tv_usec: rest)
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // Most entries should fit in one datagram; larger ones go through a memfd. The kernel's limit is
        // net.core.wmem_max.
        var size: Int32 = 8 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// - Parameter attachment: an open descriptor that the receiver gets a copy of. -1: none.
    func send(_ bytes: [UInt8], to address: UnixAddress, attachment: Int32 = -1, wait: Bool = true) -> Outcome {
        let flags = wait ? 0 : Int32(MSG_DONTWAIT)
        let error = address.withSocketAddress { to, length in
            bytes.withUnsafeBytes { nudged_send(descriptor, to, length, $0.baseAddress, $0.count, attachment, flags) }
        }
        switch error {
        case 0: return .sent
        case EAGAIN: return .congested
        case EMSGSIZE, ENOBUFS: return .tooLarge
        default: return .failed(error)
        }
    }
}

/// The address of an AF_UNIX socket: a path, or a name in Linux's abstract namespace (unix(7)).
package struct UnixAddress: Sendable, Equatable {
    /// The bytes of `sun_path`. An abstract name has its leading zero, and a path has no closing zero.
    let path: [UInt8]

    /// Nil if the text is something else or too long. systemd also has `vsock:`, which is not supported.
    ///
    /// - Parameter text: An absolute path, or `@name` for an abstract name, as in `NOTIFY_SOCKET`.
    package init?(_ text: String) {
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
