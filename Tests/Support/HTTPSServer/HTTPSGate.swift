import Glibc
import Base

/// What holds a server's connections until it is opened, for good: they poll its descriptor.
final class HTTPSGate: Sendable {
    let descriptor: Int32
    private let other: Mutex<Int32>

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw HTTPSServerError(errno: errno) }
        descriptor = ends[0]
        other = Mutex(ends[1])
    }

    deinit {
        open()
        Glibc.close(descriptor)
    }

    func open() {
        other.withLock { end in
            if end >= 0 { Glibc.close(end) }
            end = -1
        }
    }
}
