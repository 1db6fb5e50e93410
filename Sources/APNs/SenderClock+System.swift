import Base
import Dispatch

extension SenderClock {
    /// CLOCK_BOOTTIME, the wall clock, and a timer of Dispatch.
    ///
    /// The timer runs on CLOCK_MONOTONIC, which stops while the machine is suspended. After a suspension it is late by
    /// the rest of its span at most. `now` decides what is due.
    public static let system: SenderClock = {
        let timers = DispatchQueue(label: "nudged.apns.timers")
        return SenderClock(
            now: { BootTime.milliseconds() },
            wall: { WallTime.milliseconds() },
            wake: { instant, action in
                // A span is a day at most, because Dispatch counts nanoseconds. A caller that wakes too early sets its
                // timer again.
                let span = min(
                    max(0, instant.subtractingReportingOverflow(BootTime.milliseconds()).partialValue),
                    86_400_000
                )
                timers.asyncAfter(deadline: .now() + .milliseconds(Int(span)), execute: action)
            }
        )
    }()
}
