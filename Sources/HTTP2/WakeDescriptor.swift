import CNGHTTP2
import Glibc

/// An eventfd that ends another thread's poll. It is closed on deinit.
package struct WakeDescriptor: ~Copyable, Sendable {
    /// The descriptor to poll for reading. -1 if the system had none left.
    package let descriptor: Int32

    package init() { descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

    /// Ends the current or next poll.
    package func signal() {
        let descriptor = descriptor
        Self.insist {
            var one: UInt64 = 1
            return Glibc.write(descriptor, &one, 8) == 8 ? 0 : errno
        }
    }

    /// Tries again a few times. A lost wake-up would leave its thread asleep until the next PING is due.
    ///
    /// - Parameter attempt: Returns 0 or the system's error number.
    static func insist(_ attempt: () -> Int32) {
        for _ in 0..<Self.attempts {
            let error = attempt()
            // EAGAIN: the counter is full, so the poll ends anyway.
            if error == 0 || error == EAGAIN { return }
        }
    }

    private static let attempts = 8

    /// Clears all signals.
    package func clear() {
        var count: UInt64 = 0
        _ = Glibc.read(descriptor, &count, 8)
    }
}
