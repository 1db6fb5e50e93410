import Glibc

/// The system's clocks as milliseconds. Only the loops read them; whatever decides takes the time as a parameter.
package enum Clock {
    /// For deadlines: doesn't step, doesn't count suspension.
    package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// For `Request.writeBy`: goes on while the machine is suspended.
    static func boottime() -> UInt64 { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
