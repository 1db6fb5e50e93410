import Glibc
import LocalPostgres
import Synchronization

/// A datagram socket in place of systemd's. It notes when the watchdog was fed.
final class NotifyEar: Sendable {
    let path: String
    private let descriptor: Int32
    private let feedings = Mutex<[Int64]>([])
    private let isOpen = Mutex(true)

    init(_ path: String) throws {
        self.path = path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.utf8.count < 108 else { throw FaultError("too long for a socket: \(path)") }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw FaultError("can't bind \(path): \(String(cString: strerror(errno)))") }
        Task.detached { try? await onOwnThread { self.listen() } }
    }

    private func listen() {
        while isOpen.withLock({ $0 }) {
            var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&ready, 1, 100) == 1 else { continue }
            var bytes = [UInt8](repeating: 0, count: 8192)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            let text = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
            if text.contains("WATCHDOG=1") { feedings.withLock { $0.append(Moment.now.machine) } }
        }
        close(descriptor)
    }

    /// The longest time between two feeds of the watchdog, in milliseconds of machine time.
    func longestFast(from start: Moment, to end: Moment) -> Int64 {
        let (first, last) = (start.machine, end.machine)
        let times = [first] + feedings.withLock { $0 }.filter { $0 > first && $0 < last } + [last]
        return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? last - first
    }

    func shut() { isOpen.withLock { $0 = false } }
}
