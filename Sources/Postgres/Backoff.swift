/// How long to wait before the next attempt: "full jitter", a random part of a ceiling that doubles, so that daemons that
/// lost the same server don't come back in step.
public struct Backoff: Sendable, Equatable {
    /// The first ceiling.
    public var base: Duration
    /// The last ceiling.
    public var cap: Duration

    /// Default: 0.25 s, doubling to 30 s.
    public init(base: Duration = .milliseconds(250), cap: Duration = .seconds(30)) {
        self.base = base
        self.cap = cap
    }

    /// The ceiling after `failures` failures in a row, 1 or more.
    public func ceiling(failures: Int) -> Duration {
        // 2^40 base units exceed any sensible cap; more doublings would overflow.
        let doublings = min(max(failures - 1, 0), 40)
        var ceiling = base
        for _ in 0..<doublings {
            if ceiling >= cap { break }
            ceiling *= 2
        }
        return min(ceiling, cap)
    }

    /// The wait after `failures` failures in a row; `random` is in 0 ..< 1.
    public func delay(failures: Int, random: Double) -> Duration {
        ceiling(failures: failures) * min(max(random, 0), 1)
    }
}
