import Base
import Dispatch

/// The sender's clocks and its timer, as a value, so that tests can control them.
package struct SenderClock: Sendable {
    /// Milliseconds of CLOCK_BOOTTIME. It never steps and continues while the machine is suspended.
    package var now: @Sendable () -> Int64
    /// Milliseconds since 1970. May step.
    package var wall: @Sendable () -> Int64
    /// Runs the action once, at or soon after the instant of `now`, never synchronously.
    package var wake: @Sendable (_ at: Int64, _ action: @escaping @Sendable () -> Void) -> Void

    /// A clock with these three functions.
    package init(
        now: @escaping @Sendable () -> Int64,
        wall: @escaping @Sendable () -> Int64,
        wake: @escaping @Sendable (_ at: Int64, _ action: @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.wall = wall
        self.wake = wake
    }
}

extension SenderClock {
    /// CLOCK_BOOTTIME, the wall clock, and a timer of Dispatch.
    ///
    /// The timer runs on CLOCK_MONOTONIC, which stops while the machine is suspended. After a suspension it is late by
    /// the rest of its span at most. `now` decides what is due.
    package static let system: SenderClock = {
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
