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
        let (seconds, attoseconds) = patience.components
        var limit = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        // Most entries should fit in one datagram; larger ones go through a memfd. The kernel's limit is
        // net.core.wmem_max.
        var size: Int32 = 8 << 20
        setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Sends one datagram. `attachment` is an open descriptor that the receiver gets a copy of.
    func send(_ bytes: [UInt8], to address: UnixAddress, attachment: Int32? = nil, wait: Bool = true) -> Outcome {
        let flags = Int32(MSG_NOSIGNAL) | (wait ? 0 : Int32(MSG_DONTWAIT))
        let (sent, error): (Int, Int32) = address.withSocketAddress { name, length in
            bytes.withUnsafeBytes { payload in
                // sendmsg(2) only reads through this pointer.
                var vector = iovec(
                    iov_base: UnsafeMutableRawPointer(mutating: payload.baseAddress),
                    iov_len: payload.count
                )
                return withUnsafeMutablePointer(to: &vector) { vector in
                    var message = msghdr()
                    message.msg_name = UnsafeMutableRawPointer(name)
                    message.msg_namelen = length
                    message.msg_iov = vector
                    message.msg_iovlen = payload.isEmpty ? 0 : 1
                    return Self.perform(descriptor, &message, attachment, flags)
                }
            }
        }
        if sent >= 0 { return .sent }
        switch error {
        case EAGAIN: return .congested
        case EMSGSIZE, ENOBUFS: return .tooLarge
        default: return .failed(error)
        }
    }

    private static func perform(_ descriptor: Int32, _ message: inout msghdr, _ attachment: Int32?, _ flags: Int32) -> (
        Int, Int32
    ) {
        guard let attachment else { return retry(descriptor, &message, flags) }
        // The layout of CMSG_SPACE(sizeof(int)) on 64-bit Linux, a macro that Swift doesn't import: a header of 16
        // bytes, the descriptor, and padding to a multiple of 8.
        var control = ControlMessage(
            length: UInt64(MemoryLayout<cmsghdr>.size + MemoryLayout<Int32>.size),
            level: SOL_SOCKET,
            type: Int32(SCM_RIGHTS),
            descriptor: attachment
        )
        return withUnsafeMutablePointer(to: &control) { control in
            message.msg_control = UnsafeMutableRawPointer(control)
            message.msg_controllen = MemoryLayout<ControlMessage>.size
            return retry(descriptor, &message, flags)
        }
    }

    private static func retry(_ descriptor: Int32, _ message: inout msghdr, _ flags: Int32) -> (Int, Int32) {
        while true {
            let sent = sendmsg(descriptor, &message, flags)
            let error = sent < 0 ? errno : 0
            if error != EINTR { return (sent, error) }
        }
    }
}

private struct ControlMessage {
    var length: UInt64
    var level: Int32
    var type: Int32
    var descriptor: Int32
    var padding: Int32 = 0
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
