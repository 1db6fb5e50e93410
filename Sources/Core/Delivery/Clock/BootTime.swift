import Glibc

/// CLOCK_BOOTTIME is monotonic and counts while the machine is suspended. So a lease that ends meanwhile is seen to
/// have ended.
package enum BootTime {
    /// Milliseconds since boot.
    package static func milliseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
