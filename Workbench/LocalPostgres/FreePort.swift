import Glibc

/// A TCP port of 127.0.0.1 that is free now. If another process takes it first, the start fails with the server's
/// message. It is below those that Linux hands out by itself (ip_local_port_range), so that no connection gets it before
/// the server starts.
enum FreePort {
    static func find() throws(LocalPostgresError) -> Int {
        for _ in 0..<100 {
            let port = UInt16.random(in: 20_000..<32_000)
            if try isFree(port) { return Int(port) }
        }
        throw LocalPostgresError(.fileSystem, "no free port on 127.0.0.1")
    }

    private static func isFree(_ port: UInt16) throws(LocalPostgresError) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw LocalPostgresError(.fileSystem, "socket") }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
