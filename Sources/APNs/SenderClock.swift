/// The sender's clocks and its timer, as a value, so that tests can control them.
public struct SenderClock: Sendable {
    /// Milliseconds of CLOCK_BOOTTIME. It never steps and continues while the machine is suspended.
    public var now: @Sendable () -> Int64
    /// Milliseconds since 1970. May step.
    public var wall: @Sendable () -> Int64
    /// Runs the action once, at or soon after the instant of `now`, never synchronously.
    public var wake: @Sendable (_ at: Int64, _ action: @escaping @Sendable () -> Void) -> Void

    /// A clock with these three functions.
    public init(
        now: @escaping @Sendable () -> Int64,
        wall: @escaping @Sendable () -> Int64,
        wake: @escaping @Sendable (_ at: Int64, _ action: @escaping @Sendable () -> Void) -> Void
    ) {
        self.now = now
        self.wall = wall
        self.wake = wake
    }
}
