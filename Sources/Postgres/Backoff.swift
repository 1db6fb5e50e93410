/// The wait before the next attempt, with full jitter: a random part of a limit that doubles. So daemons that lost the
/// same server don't all come back at once.
public struct Backoff: Sendable, Equatable {
    /// The first limit.
    public var base: Duration
    /// The last limit.
    public var cap: Duration

    /// Default: 0.25 s, doubling to 30 s.
    public init(base: Duration = .milliseconds(250), cap: Duration = .seconds(30)) {
        self.base = base
        self.cap = cap
    }

    /// The limit after `failures` failures in a row, 1 or more.
    public func ceiling(failures: Int) -> Duration {
        // 2^40 times the base exceeds any sensible cap. More doublings would overflow.
        let doublings = min(max(failures - 1, 0), 40)
        var ceiling = base
        for _ in 0..<doublings {
            if ceiling >= cap { break }
            ceiling *= 2
        }
        return min(ceiling, cap)
    }

    /// The wait after `failures` failures in a row. `random` is in 0 ..< 1.
    public func delay(failures: Int, random: Double) -> Duration {
        ceiling(failures: failures) * min(max(random, 0), 1)
    }
}
