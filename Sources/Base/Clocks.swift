import Glibc

// The system's clocks. Only what acts reads them: decisions take the time as a parameter.

/// CLOCK_BOOTTIME never steps and counts while the machine is suspended. So a lease that ends meanwhile is seen to have
/// ended.
package enum BootTime {
    /// Milliseconds since boot.
    package static func milliseconds() -> Int64 { read(CLOCK_BOOTTIME) / 1000 }
}

/// CLOCK_MONOTONIC never steps and stops while the machine is suspended, as timers do.
package enum MonotonicTime {
    package static func milliseconds() -> Int64 { microseconds() / 1000 }
    package static func microseconds() -> Int64 { read(CLOCK_MONOTONIC) }
}

/// This machine's wall clock, since 1970. It may step, and it may be wrong.
package enum WallTime {
    package static func milliseconds() -> Int64 { microseconds() / 1000 }
    package static func microseconds() -> Int64 { read(CLOCK_REALTIME) }
}

/// Microseconds.
private func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    // It can't fail: Linux has had all three since 2.6.39.
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
}
