import Glibc

/// A TCP port of 127.0.0.1 that is free now. If another process takes it first, the start fails with the server's
/// message.
enum FreePort {
    static func find() throws(LocalPostgresError) -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LocalPostgresError(.fileSystem, "socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let size = length
        let failure = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                bind(descriptor, generic, size) != 0 || getsockname(descriptor, generic, &length) != 0
            }
        }
        guard !failure else { throw LocalPostgresError(.fileSystem, "no free port on 127.0.0.1") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
