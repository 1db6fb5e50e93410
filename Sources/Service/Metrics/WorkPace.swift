/// Decides when to query the state of the work: every fifteen seconds, but for at most a twentieth of the time.
/// Instants are milliseconds of CLOCK_BOOTTIME.
struct WorkPace: Sendable {
    static let interval: Int64 = 15_000
    /// The least pause, as a multiple of the last query's time.
    static let rest: Int64 = 20

    private var next: Int64 = 0
    private var askedAt: Int64?

    /// Whether to query now. End each query that was begun.
    mutating func begin(now: Int64) -> Bool {
        guard askedAt == nil, now >= next else { return false }
        askedAt = now
        return true
    }

    /// The query was answered or failed.
    mutating func end(now: Int64) {
        guard let asked = askedAt else { return }
        next = max(asked + Self.interval, now + (now - asked) * Self.rest)
        askedAt = nil
    }
}
