/// From which id on touches are looked for. Where a long transaction elsewhere keeps dead rows, the head of the index is full of entries that say nothing; and
/// other daemons' touches may lie there. A value: it is told the time, in milliseconds.
struct TouchFloor: Sendable {
    /// No touch below it waits; but one whose transaction was longer may come to light there.
    private var id: Int64 = 0
    private var nextFullLook: Int64 = .min

    /// Touches of transactions under way: ids are given out before commits.
    static let margin: Int64 = 10_000
    /// All are looked for so often at most.
    static let lookMilliseconds: Int64 = 5_000
    /// A look at all that is dear is taken less often: it may have a twentieth of the time.
    static let share: Int64 = 20

    /// From which id on to look now.
    func start(at now: Int64) -> Int64 { now >= nextFullLook ? 0 : id }

    /// The next look is at all.
    mutating func forget() { nextFullLook = .min }

    /// Takes an answer in.
    ///
    /// - Parameters:
    ///   - start: what `start` said.
    ///   - first: the lowest id that was found; nil: there was none.
    ///   - isFull: as many were found as were asked for.
    mutating func took(start: Int64, first: Int64?, last: Int64?, isFull: Bool, asked: Int64, answered: Int64) {
        if start == 0 { nextFullLook = answered + max(Self.lookMilliseconds, Self.share * (answered - asked)) }
        if isFull {
            // What was found is still there: it is about to be taken.
            if start == 0 { id = 0 }
            id = max(id, (first ?? 0) - Self.margin)
        } else {
            id = max(id, (last ?? 0) - Self.margin)
        }
    }
}
