/// The sender's clocks and its one timer, as a value, so that tests can hold them.
public struct SenderClock: Sendable {
    /// Milliseconds of CLOCK_BOOTTIME (runs on while the machine is suspended, never steps).
    public var now: @Sendable () -> Int64
    /// Milliseconds since 1970; may step.
    public var wall: @Sendable () -> Int64
    /// Runs the action once, at or soon after the instant of `now`. Never calls it from within.
    public var wake: @Sendable (_ at: Int64, _ action: @escaping @Sendable () -> Void) -> Void

    /// A clock of three functions.
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
