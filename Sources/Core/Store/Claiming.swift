import FoundationEssentials
import Synchronization

/// What a store remembers between claims and drains. `Mutex` guards the state; claims and drains are called by one
/// caller at a time.
final class Claiming: Sendable {
    struct State: Sendable {
        /// The position in the ranges.
        var walk: RangeWalk
        /// Where walks start.
        var floor = DueFloor()
        /// When to look for urgent messages.
        var express = ExpressPace()
        /// From which id touches are read.
        var touches = TouchFloor()
        /// Users whose data the database refused lately.
        var aside = SetAside()
        /// Orphans that could not be recorded lately, and when each may be tried again (milliseconds of `now()`).
        var orphans: [UUID: Int64] = [:]
        /// Whether the database refused a statement that distributed tables don't support.
        var isDistributed = false

        /// Starts a new walk: from the floor, in another random order.
        mutating func restart(_ ranges: [Int32]) {
            var random = SystemRandomNumberGenerator()
            walk = RangeWalk(over: ranges, from: floor.cursor, using: &random)
        }
    }

    private let state: Mutex<State>

    init() {
        var random = SystemRandomNumberGenerator()
        state = Mutex(State(walk: RangeWalk(over: [], using: &random)))
    }

    func with<R>(_ body: (inout sending State) -> sending R) -> sending R { state.withLock(body) }

    var isDistributed: Bool { state.withLock(\.isDistributed) }

    func noteDistribution() { state.withLock { $0.isDistributed = true } }

    /// Milliseconds of a clock that only goes forward.
    static func now() -> Int64 { Int64((ContinuousClock.now - started) / .milliseconds(1)) }

    private static let started = ContinuousClock.now
}
