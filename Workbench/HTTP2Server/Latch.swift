import Glibc
import Base
import HTTP2

/// Lets one thread wait until another has done something.
final class Latch: Sendable {
    private let wake = WakeDescriptor()
    private let outcome = Mutex<Bool?>(nil)

    /// Ends the wait with this result.
    func open(_ isGood: Bool) {
        outcome.withLock { $0 = isGood }
        wake.signal()
    }

    /// Blocks until `open`. Returns its result, or false after ten seconds.
    func wait() -> Bool {
        var descriptor = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, 10_000)
        return outcome.withLock { $0 } ?? false
    }
}
