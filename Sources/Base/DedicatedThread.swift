package import Glibc

/// A separate thread for work that blocks in poll. Such work must not occupy a thread of the cooperative pool.
package final class DedicatedThread: Sendable {
    private let name: String
    private let work: @Sendable () -> Void

    private init(name: String, work: @escaping @Sendable () -> Void) { (self.name, self.work) = (name, work) }

    /// Runs `work` on a new thread, which the caller joins or detaches. Returns nil if the system has no thread left.
    package static func start(named name: String, _ work: @escaping @Sendable () -> Void) -> pthread_t? {
        let body = Unmanaged.passRetained(DedicatedThread(name: name, work: work))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, threadEntry, body.toOpaque()) == 0 else {
            body.release()
            return nil
        }
        return thread
    }

    fileprivate func run() {
        // Swift's Glibc lacks pthread_setname_np (a GNU extension), and prctl is variadic. So /proc is used.
        let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
        if descriptor >= 0 {
            let short = Array(name.utf8.prefix(15))
            _ = Glibc.write(descriptor, short, short.count)
            Glibc.close(descriptor)
        }
        work()
    }
}

private func threadEntry(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<DedicatedThread>.fromOpaque(context).takeRetainedValue().run() }
    return nil
}
