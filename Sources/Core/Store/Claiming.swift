import FoundationEssentials
import Synchronization
import TimeZones

/// What a store remembers between claims and drains. `Mutex` guards it. Claims and drains have one caller.
final class Claiming: Sendable {
    struct State: Sendable {
        var walk = RangeWalk(over: [])
        var floor = DueFloor()
        var express = LookPace.express
        var touches = TouchFloor()
        var aside = SetAside()
        /// Orphans that could not be recorded lately, and when each may be tried again (milliseconds of `now()`).
        var orphans: [UUID: Int64] = [:]
        /// Whether the database refused a statement that distributed tables don't support.
        var isDistributed = false
    }

    private let state = Mutex(State())

    func with<R>(_ body: (inout sending State) -> sending R) -> sending R { state.withLock(body) }

    var isDistributed: Bool { state.withLock(\.isDistributed) }

    /// Milliseconds of a clock that only goes forward.
    static func now() -> Int64 { Int64((ContinuousClock.now - started) / .milliseconds(1)) }

    private static let started = ContinuousClock.now
}

/// The order in which claims read the ranges that a daemon owns. A value: it says what to read next.
///
/// Reading all ranges at once shows, for one index probe per range, whether anyone is due. If more users are due than
/// one claim takes, the walk reads one range after another, each from where it was left. So no user is read twice.
/// After a range that returned too few users it reads several at once, then all. Only a result of all ranges that is
/// too short ends the walk.
struct RangeWalk: Sendable {
    /// The top six bits of PostgreSQL's 32-bit hash, as a signed shift gives them. Citus divides the same hash into
    /// shards, so a range is in one shard (up to 64 shards, a power of two).
    static let ranges: ClosedRange<Int32> = -32...31
    static let all: [Int32?] = ranges.map { $0 }
    /// How many ranges to read at once after a range that returned too few users.
    static let some = 8

    struct Ask: Sendable {
        let ranges: [Int32]
        /// Only users after this position are read.
        let after: Cursor
        /// A range's next part. It passes each user in hand once, so the statement needs no list of them.
        var goesOn = false
    }

    private let order: [Int32]
    private let start: Cursor
    private var place = 0
    /// How many ranges are read next. After a full result: one. After a short one: `some`, then all, then none.
    private var width = Int.max
    private var cursors: [Int32: Cursor] = [:]

    /// In a random order, so that no range is always the last.
    init(over ranges: [Int32], from start: Cursor = .start) {
        self.start = start
        order = ranges.shuffled()
    }

    func covers(_ ranges: [Int32]) -> Bool { order.count == ranges.count && Set(order) == Set(ranges) }

    var ask: Ask {
        if width == 1 { return Ask(ranges: [order[place]], after: cursors[order[place]] ?? start, goesOn: true) }
        return Ask(ranges: (0..<min(width, order.count)).map { order[(place + $0) % order.count] }, after: start)
    }

    /// Takes the result of `ask`: whether as many users came as were asked for, and the position of the last one.
    /// Returns whether the walk has ended: everyone who is due was in its results.
    mutating func took(isFull: Bool, last: Cursor?) -> Bool {
        let isAll = width == .max
        if width == 1, let last { cursors[order[place]] = last }
        if !isAll { place = (place + width) % order.count }
        width = isFull ? 1 : width == 1 ? Self.some : .max
        return isAll && !isFull
    }
}

/// A position in the order of due users, (`due_at`, `user_id`). A walk goes on after it.
package struct Cursor: Sendable, Equatable {
    let dueAt: Int64
    let userID: UUID

    package static let start = Cursor(dueAt: .min, userID: Store.firstUser)
}

/// The instant at which claims start their walks: no user is due before it. A value: it says when to look again.
///
/// Only users of urgent messages become due below it, and `findExpress` finds them. All others become due at the
/// policy's now. If a person changes a row, or a clock is set back, the next look finds it.
struct DueFloor: Sendable {
    /// The start while it is unknown.
    private(set) var cursor = Cursor.start
    private var pace = LookPace.floor
    private var ranges: [Int32] = []

    /// If so many users are due, dead index entries don't matter.
    static let rowLimit = 10_000
    /// Allows for daemons' clocks, and for rows that are not committed yet.
    static let marginSeconds: Int64 = 60

    func isDue(for ranges: [Int32], at now: Int64) -> Bool { pace.isDue(at: now) || ranges != self.ranges }

    mutating func forget() { self = DueFloor() }

    /// Takes a look: how many rows it read, up to `rowLimit`, the oldest `due_at` in them, and its begin and end.
    mutating func took(_ ranges: [Int32], count: Int, oldest: Int64?, now: Instant, asked: Int64, answered: Int64) {
        self.ranges = ranges
        pace.took(asked: asked, answered: answered)
        guard count < Self.rowLimit else { return cursor = .start }
        let margin = (now + -Self.marginSeconds).microseconds
        // Before all users of that instant.
        cursor = Cursor(dueAt: max(Int64.min + 1, min(oldest ?? margin, margin)) - 1, userID: Store.firstUser)
    }
}

/// When a look is taken again: a slow one is repeated less often. A value: the caller passes the time in milliseconds.
struct LookPace: Sendable {
    /// For `DueFloor` and `TouchFloor`: one look in five seconds at most, and up to a twentieth of the time.
    static let floor = LookPace(least: 5_000, rest: 20)
    /// For users of urgent messages. A look is one index probe per range, so nearly every claim takes one. If dead rows
    /// make it slow (a long transaction elsewhere), looks take at most a fifth of the time. A usual look on a loaded
    /// machine is no reason to look less often.
    static let express = LookPace(rest: 4, usual: 5)
    /// `Query.drain` makes users of urgent messages due since 1970. So users who are due before this instant go first:
    /// microseconds since 1970, one day.
    static let expressHorizon: Int64 = 86_400_000_000

    private var least: Int64 = 0
    private let rest: Int64
    private var usual: Int64 = 0
    private var nextAt: Int64 = .min

    func isDue(at milliseconds: Int64) -> Bool { milliseconds >= nextAt }

    /// Takes the begin and the end of a look.
    mutating func took(asked: Int64, answered: Int64) {
        nextAt = answered + max(least, rest * max(0, answered - asked - usual))
    }
}

/// The id from which touches are read. If a long transaction elsewhere keeps dead rows, the head of the index is full
/// of dead entries. Other daemons' touches may be there, too. A value: the caller passes the time in milliseconds.
struct TouchFloor: Sendable {
    /// No touch below it is known. One of a longer transaction may still become visible there.
    private var id: Int64 = 0
    /// Of looks from id 0.
    private var pace = LookPace.floor

    /// Allows for transactions under way: ids are assigned before commits.
    static let margin: Int64 = 10_000

    func start(at now: Int64) -> Int64 { pace.isDue(at: now) ? 0 : id }

    mutating func forget() { pace = LookPace.floor }

    /// Takes a look: its `start`, the lowest and the highest id that it found, and whether it found all that it may.
    mutating func took(
        start: Int64,
        ids: (first: Int64, last: Int64)? = nil,
        isFull: Bool = false,
        asked: Int64,
        answered: Int64
    ) {
        if start == 0 { pace.took(asked: asked, answered: answered) }
        // Not all that were found are taken at once.
        if isFull, start == 0 { id = 0 }
        id = max(id, ((isFull ? ids?.first : ids?.last) ?? 0) - Self.margin)
    }
}
