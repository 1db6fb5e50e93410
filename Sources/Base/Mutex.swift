// The module's `Mutex` is Synchronization's, except under ThreadSanitizer. ThreadSanitizer doesn't see that type's
// futex and reports every contended lock as a race, so it gets a pthread mutex.
#if SANITIZE_THREAD
    import Glibc

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
