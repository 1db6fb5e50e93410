import CNGHTTP2
import Glibc

/// An eventfd that ends another thread's poll. Owned; closed on deinit.
struct WakeDescriptor: ~Copyable, Sendable {
    /// What to poll for reading; -1 where the system had no descriptor left.
    let descriptor: Int32

    init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Ends the present or next poll.
    func signal() {
        var one: UInt64 = 1
        // Fails only where the counter is full, and then the poll ends anyway.
        _ = Glibc.write(descriptor, &one, 8)
    }

    /// Takes all signals back.
    func clear() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor, &count, 8)
    }
}
