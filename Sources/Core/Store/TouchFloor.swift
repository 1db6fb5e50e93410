/// The id from which touches are read. If a long transaction elsewhere keeps dead rows, the head of the index is full
/// of dead entries. Other daemons' touches may be there, too. A value: the caller passes the time in milliseconds.
struct TouchFloor: Sendable {
    /// No touch below it is known. One of a longer transaction may still become visible there.
    private var id: Int64 = 0
    private var nextFullLook: Int64 = .min

    /// Allows for transactions under way: ids are assigned before commits.
    static let margin: Int64 = 10_000
    /// At most one look from id 0 in this time.
    static let lookMilliseconds: Int64 = 5_000
    /// A slow look is repeated less often: looks may take a twentieth of the time.
    static let share: Int64 = 20

    /// From which id to look now.
    func start(at now: Int64) -> Int64 { now >= nextFullLook ? 0 : id }

    /// Makes the next look start from id 0.
    mutating func forget() { nextFullLook = .min }

    /// Takes a result.
    ///
    /// - Parameters:
    ///   - start: what `start` returned.
    ///   - first: the lowest id that was found; nil: none.
    ///   - last: the highest id that was found; nil: none.
    ///   - isFull: whether as many touches were found as were asked for.
    mutating func took(start: Int64, first: Int64?, last: Int64?, isFull: Bool, asked: Int64, answered: Int64) {
        if start == 0 { nextFullLook = answered + max(Self.lookMilliseconds, Self.share * (answered - asked)) }
        if isFull {
            // Not all that were found are taken at once.
            if start == 0 { id = 0 }
            id = max(id, (first ?? 0) - Self.margin)
        } else {
            id = max(id, (last ?? 0) - Self.margin)
        }
    }
}
