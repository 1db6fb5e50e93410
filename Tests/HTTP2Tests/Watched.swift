import Glibc

/// A value that threads change and a test waits on, with a deadline in place of a sleep.
///
/// @unchecked Sendable: the value is touched with the mutex held only.
final class Watched<Value>: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var value: Value

    init(_ value: Value) {
        self.value = value
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    @discardableResult
    func change<Result>(_ body: (inout Value) -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer {
            pthread_cond_broadcast(condition)
            pthread_mutex_unlock(mutex)
        }
        return body(&value)
    }

    var now: Value { change { $0 } }

    /// False where it didn't come true in time.
    func wait(seconds: Int = 30, until isTrue: (Value) -> Bool) -> Bool {
        var limit = timespec()
        clock_gettime(CLOCK_REALTIME, &limit)
        limit.tv_sec += seconds
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while !isTrue(value) {
            if pthread_cond_timedwait(condition, mutex, &limit) == ETIMEDOUT { return isTrue(value) }
        }
        return true
    }
}
