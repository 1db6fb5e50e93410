// What guards state is `Mutex`, and comes from here: Synchronization's own, but under ThreadSanitizer, which doesn't see the futex
// behind it and calls every contended lock a race. There it is a pthread mutex, which it knows.
#if SANITIZE_THREAD
    import Glibc

    /// Synchronization's `Mutex` in the form that is used here, on a pthread mutex.
    ///
    /// @unchecked Sendable: the value is touched under the mutex alone.
    public struct Mutex<Value>: ~Copyable, @unchecked Sendable {
        private let mutex: UnsafeMutablePointer<pthread_mutex_t>
        private let value: UnsafeMutablePointer<Value>

        /// Guards a value.
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

        /// Lends the value to the closure, alone.
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
