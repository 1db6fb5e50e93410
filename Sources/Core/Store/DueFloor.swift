import TimeZones

/// The instant at which claims start their walks: no user is due before it. A value: it says when to look again, and
/// takes the result.
///
/// Only users of urgent messages become due below it, and `ExpressPace` finds them. All others become due at the
/// policy's now. If a person changes a row, or a clock is set back, the next look finds it.
struct DueFloor: Sendable {
    /// The start while it is unknown.
    private(set) var cursor = Cursor.start
    private var nextLook: Int64 = .min
    /// The ranges of the last look.
    private var ranges: [Int32] = []

    /// At most one look in this time.
    static let lookMilliseconds: Int64 = 5_000
    /// A slow look is repeated less often: looks may take a twentieth of the time.
    static let share: Int64 = 20
    /// If so many users are due, dead index entries don't matter.
    static let rowLimit = 10_000
    /// Allows for daemons' clocks, and for rows that are not committed yet.
    static let marginSeconds: Int64 = 60

    func isDue(for ranges: [Int32], at milliseconds: Int64) -> Bool {
        milliseconds >= nextLook || ranges != self.ranges
    }

    /// Makes the next walk look again, from the start.
    mutating func forget() {
        cursor = .start
        nextLook = .min
    }

    /// - Parameters:
    ///   - ranges: the ranges of the look.
    ///   - count: rows that were read, at most `rowLimit`.
    ///   - oldest: the oldest `due_at` among them, in microseconds; nil: there was none.
    ///   - now: the policy's now.
    ///   - asked: milliseconds before the statement, on the clock of `isDue`.
    ///   - answered: milliseconds after the result.
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
