import Dispatch
import Glibc

/// A datagram socket in place of systemd's.
final class NotifySocket: Sendable {
    let path: String
    private let descriptor: Int32

    init(_ path: String) {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
        _ = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    deinit { close(descriptor) }

    /// As `wait`, on a thread of its own: the other tests' continuations need the pool's two.
    func heard(_ seconds: Int = 120, where condition: @escaping @Sendable (String) -> Bool) async -> String? {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "nudged.test.notify").async {
                continuation.resume(returning: self.wait(seconds, where: condition))
            }
        }
    }

    /// Reads datagrams until one satisfies the condition; nil where none came within the seconds.
    func wait(_ seconds: Int = 120, where condition: (String) -> Bool) -> String? {
        let limit = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < limit {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 200) == 1 else { continue }
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
            if condition(text) { return text }
        }
        return nil
    }
}
