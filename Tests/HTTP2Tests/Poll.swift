import Glibc

func boottime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
}

enum Poll {
    /// For the few facts that nobody signals: yields until it is true, or for 30 seconds.
    static func until(_ isTrue: () -> Bool) -> Bool {
        let limit = boottime() + 30_000
        while boottime() < limit {
            if isTrue() { return true }
            sched_yield()
        }
        return isTrue()
    }
}
