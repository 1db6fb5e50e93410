import TimeZones

/// From where on claims look for who is due: nobody is due before. A value: it says when to look again, and takes the answer in.
///
/// Nothing appears below it by itself: whoever becomes due does so at the policy's now of that moment or keeps their instant. What a hand or
/// a clock that was set back puts there is seen at the next look.
struct DueFloor: Sendable {
    /// Nobody is due before; the start where it is not known.
    private(set) var cursor = Cursor.start
    private var nextLook: Int64 = .min
    /// The ranges that the last look was about.
    private var ranges: [Int32] = []

    /// So often at most.
    static let lookMilliseconds: Int64 = 5_000
    /// A look that is dear is taken less often: it may have a twentieth of the time.
    static let share: Int64 = 20
    /// Among more who are due, dead entries are no trouble.
    static let rowLimit = 10_000
    /// Daemons' clocks, and rows on their way to a commit.
    static let marginSeconds: Int64 = 60

    func isDue(for ranges: [Int32], at milliseconds: Int64) -> Bool {
        milliseconds >= nextLook || ranges != self.ranges
    }

    /// The next walk looks anew.
    mutating func forget() {
        cursor = .start
        nextLook = .min
    }

    /// - Parameters:
    ///   - ranges: those that were looked at.
    ///   - count: rows that were read, at most `rowLimit`.
    ///   - oldest: the oldest of them, microseconds; nil where there is none.
    ///   - now: the policy's.
    ///   - asked: milliseconds before the question, on the clock of `isDue`.
    ///   - answered: and after the answer.
    mutating func took(
        _ ranges: [Int32],
        count: Int,
        oldest: Int64?,
        now: Instant,
        asked: Int64,
        answered: Int64
    ) {
        self.ranges = ranges
        nextLook = answered + max(Self.lookMilliseconds, Self.share * (answered - asked))
        guard count < Self.rowLimit else { return cursor = .start }
        let margin = (now + -Self.marginSeconds).microseconds
        cursor = Cursor(before: min(oldest ?? margin, margin))
    }
}
