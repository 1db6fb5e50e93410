/// The order in which claims read the ranges that a daemon owns. A value: it says what to read next and takes the
/// result.
///
/// Reading all ranges at once shows, for one index probe per range, whether anyone is due. If more users are due than
/// one claim takes, the walk reads one range after another, each from where it was left. So no user is read twice.
/// After a range that returned too few users it reads several at once, then all. Only a result of all ranges that is
/// too short ends the walk.
struct RangeWalk: Sendable {
    /// The top six bits of PostgreSQL's 32-bit hash, as a signed shift gives them. Citus divides the same hash into
    /// shards, so a range is in one shard (up to 64 shards, a power of two).
    static let ranges: ClosedRange<Int32> = -32...31
    /// The ranges as a parameter.
    static let all: [Int32?] = ranges.map { $0 }
    /// How many ranges to read at once after a range that returned too few users.
    static let some = 8

    /// The arguments of one statement.
    struct Ask: Sendable {
        let ranges: [Int32]
        /// Only users after this position are read.
        let after: Cursor
    }

    private enum Width {
        /// Next is `one` when full. When short, the walk ends.
        case all
        /// Next is `one` (another range) when full, `some` when short.
        case one
        /// Next is `one` when full, `all` when short.
        case some
    }

    private let order: [Int32]
    private let start: Cursor
    private var place = 0
    private var width = Width.all
    private var cursors: [Int32: Cursor] = [:]

    /// `random` draws the order, so that no range is always the last.
    init(over ranges: [Int32], from start: Cursor = .start, using random: inout some RandomNumberGenerator) {
        self.start = start
        order = ranges.shuffled(using: &random)
    }

    /// Whether it is a walk over exactly these ranges.
    func covers(_ ranges: [Int32]) -> Bool { order.count == ranges.count && Set(order) == Set(ranges) }

    /// What to read next.
    var ask: Ask {
        switch width {
        case .all: Ask(ranges: order, after: start)
        case .one: Ask(ranges: [order[place]], after: cursors[order[place]] ?? start)
        case .some:
            Ask(ranges: (0..<min(Self.some, order.count)).map { order[(place + $0) % order.count] }, after: start)
        }
    }

    /// Takes the result of `ask`. Returns whether the walk has ended: everyone who is due was in its results.
    ///
    /// - Parameters:
    ///   - isFull: whether as many users came as were asked for.
    ///   - last: the position of the last of them.
    mutating func took(isFull: Bool, last: Cursor?) -> Bool {
        switch (width, isFull) {
        case (.all, false): return true
        case (.all, true): width = .one
        case (.one, _):
            if let last { cursors[order[place]] = last }
            place = (place + 1) % order.count
            if !isFull { width = .some }
        case (.some, _):
            place = (place + Self.some) % order.count
            width = isFull ? .one : .all
        }
        return false
    }
}
