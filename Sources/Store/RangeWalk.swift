/// Where the next users come from: a daemon's walk over the ranges that it owns. A value: it says what to ask and what an answer means.
///
/// All ranges at once say, at the price of one probe a range, that nobody is due. Where more are due than one claim takes, one range after another, each from
/// where it was left: so no user is read twice. Where such a range has fewer, some more at once, then all: only an answer of all ranges that is short is the
/// end.
struct RangeWalk: Sendable {
    /// The top six bits of PostgreSQL's 32-bit hash, as a signed shift gives them. Citus cuts its shards out of the same hash, so with up to
    /// 64 shards (a power of two) a range lies in one shard.
    static let ranges: ClosedRange<Int32> = -32...31
    /// The same as a parameter.
    static let all: [Int32?] = ranges.map { $0 }
    /// How many at once after a range that had fewer than asked for.
    static let some = 8

    /// One question.
    struct Ask: Sendable {
        /// Of these ranges.
        let ranges: [Int32]
        /// After this user.
        let after: Cursor
    }

    private enum Width {
        /// → `one` when full; short: the end.
        case all
        /// → `one` (the next) when full, → `some` when short.
        case one
        /// → `one` when full, → `all` when short.
        case some
    }

    private let order: [Int32]
    private let start: Cursor
    private var place = 0
    private var width = Width.all
    private var cursors: [Int32: Cursor] = [:]

    /// A walk over these ranges from `start`, in an order that `random` draws: no range is always the last.
    init(over ranges: [Int32], from start: Cursor = .start, using random: inout some RandomNumberGenerator) {
        self.start = start
        order = ranges.shuffled(using: &random)
    }

    /// Whether it is a walk over these.
    func covers(_ ranges: [Int32]) -> Bool { order.count == ranges.count && Set(order) == Set(ranges) }

    /// What to ask now.
    var ask: Ask {
        switch width {
        case .all: Ask(ranges: order, after: start)
        case .one: Ask(ranges: [order[place]], after: cursors[order[place]] ?? start)
        case .some:
            Ask(ranges: (0..<min(Self.some, order.count)).map { order[(place + $0) % order.count] }, after: start)
        }
    }

    /// Takes the answer to `ask` in. Returns whether everyone who is due was among the answers since the walk last narrowed.
    ///
    /// - Parameters:
    ///   - isFull: as many came as were asked for.
    ///   - last: the last of them.
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
