import FoundationEssentials
import Synchronization

/// What a store remembers between claims and drains. State behind `Mutex`; claims and drains are asked by one caller at a time.
final class Claiming: Sendable {
    struct State: Sendable {
        /// Where the walk over the ranges stands.
        var walk: RangeWalk
        /// From where on walks look.
        var floor = DueFloor()
        /// When urgent messages are looked for.
        var express = ExpressPace()
        /// From where on touches are looked for.
        var touches = TouchFloor()
        /// Whom the database refused lately.
        var aside = SetAside()
        /// Orphans that could not be recorded lately, and until when they are left.
        var orphans: [UUID: Int64] = [:]
        /// Whether the database refused what only tables on several machines refuse.
        var isDistributed = false

        /// Begins a walk anew: from the floor, in another order.
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
