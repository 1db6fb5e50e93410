/// The wait before the next attempt: random, below a bound that doubles with each failure in a row (full jitter). So
/// daemons that lost the same server don't all come back at once. Milliseconds.
public struct Backoff: Sendable, Equatable {
    private let first: Int64
    private let most: Int64
    private let least: Int64

    /// - Parameters:
    ///   - first: the bound after one failure.
    ///   - most: the last bound.
    ///   - least: the shortest wait.
    public init(first: Int64, most: Int64, least: Int64 = 0) {
        self.first = first
        self.most = most
        self.least = least
    }

    /// The wait after `failures` failures in a row, 1 or more. `random` is 0 to 1.
    public func wait(failures: Int, random: Double) -> Int64 {
        // 2^20 times the first bound exceeds any sensible last one.
        let bound = min(most, first << Int64(min(max(failures - 1, 0), 20)))
        return least + Int64(Double(bound - least) * min(max(random, 0), 1))
    }
}
