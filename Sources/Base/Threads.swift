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

// The module's `Mutex` is Synchronization's, except under ThreadSanitizer. ThreadSanitizer doesn't see that type's
// futex and reports every contended lock as a race, so it gets a pthread mutex.
#if SANITIZE_THREAD
    /// Synchronization's `Mutex`, as far as it is used here, with a pthread mutex.
    ///
    /// @unchecked Sendable: the value is only used while the mutex is locked.
    public struct Mutex<Value>: ~Copyable, @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        public init(_ value: consuming sending Value) {
            mutex = .allocate(capacity: 1)
            self.value = .allocate(capacity: 1)
            pthread_mutex_init(mutex, nil)
            self.value.initialize(to: value)
        }

        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            pthread_mutex_destroy(mutex)
            mutex.deallocate()
        }

        public borrowing func withLock<Result, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            pthread_mutex_lock(mutex)
            defer { pthread_mutex_unlock(mutex) }
            return try body(&value.pointee)
        }
    }
#else
    @_exported public import Synchronization
#endif
