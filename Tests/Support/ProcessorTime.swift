import Glibc

/// The processor time that work takes on its thread. What runs beside it doesn't count.
package func processorTime(of work: () throws -> Void) rethrows -> Duration {
    let start = threadTime()
    try work()
    return threadTime() - start
}

private func threadTime() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}
