/// The pauses between failing dials: full jitter under a doubling bound, never under half a second.
struct DialBackoff: Sendable {
    /// Milliseconds of the shortest and the longest pause.
    static let bounds: ClosedRange<Int64> = 500...60_000

    private(set) var failures = 0

    /// The pause after one more failure. `jitter` is 0 to 1.
    mutating func next(jitter: Double) -> Int64 {
        let top = min(Self.bounds.upperBound, (Self.bounds.lowerBound * 2) << Int64(min(failures, 7)))
        failures += 1
        return Self.bounds.lowerBound + Int64(Double(top - Self.bounds.lowerBound) * jitter)
    }

    /// A push was accepted: the next failure is a first one.
    mutating func reset() {
        failures = 0
    }
}
