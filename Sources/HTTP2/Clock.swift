import Glibc

/// The system's clocks in milliseconds. Only the loops and the dialer read them. Other code takes the time as a
/// parameter.
package enum Clock {
    /// For deadlines: it never steps and stops while the machine is suspended.
    package static func monotonic() -> UInt64 { read(CLOCK_MONOTONIC) }

    /// For `Request.writeBy`: it continues while the machine is suspended.
    static func boottime() -> UInt64 { read(CLOCK_BOOTTIME) }

    private static func read(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
    }
}
