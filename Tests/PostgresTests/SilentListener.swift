import Glibc
import Testing

/// It listens and nobody accepts: the TCP connection stands, PostgreSQL's answer never comes.
final class SilentListener {
    let port: UInt16
    private let descriptor: Int32

    init() {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let descriptor = descriptor
        withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                #expect(bind(descriptor, $0, size) == 0)
                #expect(getsockname(descriptor, $0, &length) == 0)
            }
        }
        #expect(listen(descriptor, 20) == 0)
        port = UInt16(bigEndian: address.sin_port)
    }

    deinit { close(descriptor) }
}
