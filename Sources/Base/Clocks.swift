import Glibc

// The system's clocks. Only what acts reads them: decisions take the time as a parameter.

/// CLOCK_BOOTTIME never steps and counts while the machine is suspended: a lease that ended meanwhile is seen to have
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

/// The wait before the next attempt: random, below a bound that doubles with each failure in a row (full jitter). So
/// daemons that lost the same server don't all come back at once. Milliseconds.
public struct Backoff: Sendable, Equatable {
    private let first: Int64
    private let most: Int64
    private let least: Int64

    /// The bound after one failure, the last bound, and the shortest wait.
    public init(first: Int64, most: Int64, least: Int64 = 0) {
        (self.first, self.most, self.least) = (first, most, least)
    }

    /// The wait after `failures` failures in a row, 1 or more. `random` is 0 to 1.
    public func wait(failures: Int, random: Double) -> Int64 {
        // 2^20 times the first bound exceeds any sensible last one.
        let bound = min(most, first << Int64(min(max(failures - 1, 0), 20)))
        return least + Int64(Double(bound - least) * min(max(random, 0), 1))
    }
}
