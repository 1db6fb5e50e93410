/// Decides when the database is asked how the work stands: every fifteen seconds, and never for more than a twentieth of the time. Instants are milliseconds
/// of CLOCK_BOOTTIME.
struct WorkPace: Sendable {
    static let interval: Int64 = 15_000
    /// Times as long as the last answer took.
    static let rest: Int64 = 20

    private var next: Int64 = 0
    private var askedAt: Int64?

    /// Whether it is asked now; each question is ended.
    mutating func begin(now: Int64) -> Bool {
        guard askedAt == nil, now >= next else { return false }
        askedAt = now
        return true
    }

    /// The question was answered, or came to nothing.
    mutating func end(now: Int64) {
        guard let asked = askedAt else { return }
        next = max(asked + Self.interval, now + (now - asked) * Self.rest)
        askedAt = nil
    }
}
