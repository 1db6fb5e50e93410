/// An instant by which something must be done. ContinuousClock goes on while the machine sleeps: after a suspend, what was
/// awaited is overdue, as it is for the server.
struct Deadline {
    private let instant: ContinuousClock.Instant

    init(after duration: Duration) {
        instant = ContinuousClock.now + duration
    }

    /// What poll() is to wait: milliseconds, rounded up, at most an hour; nil once the instant has passed.
    var milliseconds: Int32? {
        let left = ContinuousClock.now.duration(to: instant)
        guard left > .zero else { return nil }
        return Int32(min(left, .seconds(3600)) / .milliseconds(1)) + 1
    }
}

extension Duration {
    /// Whole milliseconds as PostgreSQL's settings take them: at least 1 (0 would mean no limit).
    var asSetting: Int32 {
        Int32(Swift.min(Swift.max(self / .milliseconds(1), 1), 2_000_000_000))
    }
}
