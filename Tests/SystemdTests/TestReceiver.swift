import Glibc

@testable import Systemd

/// A datagram socket in place of systemd's or journald's, in its own temporary folder.
final class TestReceiver: Sendable {
    let path: String
    private let folder = TemporaryFolder()
    private let descriptor: Int32

    init(abstractName: String? = nil) throws {
        path = abstractName.map { "@" + $0 } ?? folder.path + "/socket"
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        let bound = UnixAddress(path).map { $0.withSocketAddress { bind(descriptor, $0, $1) } }
        guard bound == 0 else { throw Failure(code: errno) }
    }

    deinit { close(descriptor) }

    struct Failure: Error { let code: Int32 }

    /// The next datagram as text; nil after two seconds without one.
    func text() -> String? { receive().map { String(decoding: $0.bytes, as: UTF8.self) } }

    /// The next datagram, and the descriptor that came with it.
    func receive() -> (bytes: [UInt8], attachment: Int32?)? {
        var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 2000) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var control = [UInt64](repeating: 0, count: 8)
        return bytes.withUnsafeMutableBytes { payload in
            control.withUnsafeMutableBytes { control in
                var vector = iovec(iov_base: payload.baseAddress, iov_len: payload.count)
                var message = msghdr()
                return withUnsafeMutablePointer(to: &vector) { vector in
                    message.msg_iov = vector
                    message.msg_iovlen = 1
                    message.msg_control = control.baseAddress
                    message.msg_controllen = control.count
                    let count = recvmsg(descriptor, &message, 0)
                    guard count >= 0 else { return nil }
                    let attachment =
                        message.msg_controllen >= 20 ? control.load(fromByteOffset: 16, as: Int32.self) : nil
                    return (Array(payload[..<count]), attachment)
                }
            }
        }
    }
}
