import Dispatch
import Glibc

extension SenderClock {
    /// CLOCK_BOOTTIME, the wall clock, and a timer of Dispatch.
    ///
    /// The timer runs on CLOCK_MONOTONIC, which stops while the machine is suspended. After a suspension it is late by
    /// the rest of its span at most. `now` decides what is due.
    public static let system: SenderClock = {
        let timers = DispatchQueue(label: "nudged.apns.timers")
        return SenderClock(
            now: { milliseconds(of: CLOCK_BOOTTIME) },
            wall: { milliseconds(of: CLOCK_REALTIME) },
            wake: { instant, action in
                // A span is a day at most, because Dispatch counts nanoseconds. A caller that wakes too early sets its
                // timer again.
                let span = min(
                    max(0, instant.subtractingReportingOverflow(milliseconds(of: CLOCK_BOOTTIME)).partialValue),
                    86_400_000
                )
                timers.asyncAfter(deadline: .now() + .milliseconds(Int(span)), execute: action)
            }
        )
    }()

    private static func milliseconds(of clock: clockid_t) -> Int64 {
        var time = timespec()
        // This can't fail: both clocks exist since Linux 2.6.39.
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }
}
