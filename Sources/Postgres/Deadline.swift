/// An instant by which something must be done. ContinuousClock continues while the machine sleeps, so after a
/// suspension the wait is over, as it is for the server.
struct Deadline {
    private let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now + duration
    }

    /// The time-out for poll(): milliseconds, rounded up, at most an hour. Nil if the instant has passed.
    var milliseconds: Int32? {
        let left = ContinuousClock.now.duration(to: instant)
        guard left > .zero else { return nil }
        return Int32(min(left, .seconds(3600)) / .milliseconds(1)) + 1
    }
}

extension Duration {
    /// Whole milliseconds as PostgreSQL's settings expect them. At least 1, because 0 would mean no limit.
    var asSetting: Int32 {
        Int32(Swift.min(Swift.max(self / .milliseconds(1), 1), 2_000_000_000))
    }
}
