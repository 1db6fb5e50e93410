import Glibc
import Locks
import HTTP2

/// One thread's wait for another's deed.
final class Latch: Sendable {
    private let wake = WakeDescriptor()
    private let outcome = Mutex<Bool?>(nil)

    /// It is done, well or not.
    func open(_ isGood: Bool) {
        outcome.withLock { $0 = isGood }
        wake.signal()
    }

    /// Whether it went well; false after ten seconds.
    func wait() -> Bool {
        var descriptor = pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0)
        poll(&descriptor, 1, 10_000)
        return outcome.withLock { $0 } ?? false
    }
}
