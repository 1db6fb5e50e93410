/// The back-off between failed connection attempts: full jitter below a doubling bound, never under half a second.
struct DialBackoff: Sendable {
    /// The shortest and the longest back-off, in milliseconds.
    static let bounds: ClosedRange<Int64> = 500...60_000

    private(set) var failures = 0

    /// The back-off after one more failure. `jitter` is 0 to 1.
    mutating func next(jitter: Double) -> Int64 {
        let top = min(Self.bounds.upperBound, (Self.bounds.lowerBound * 2) << Int64(min(failures, 7)))
        failures += 1
        return Self.bounds.lowerBound + Int64(Double(top - Self.bounds.lowerBound) * jitter)
    }

    /// Call this after an accepted push: the next failure counts as the first.
    mutating func reset() {
        failures = 0
    }
}
