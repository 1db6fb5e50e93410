import FoundationEssentials
import Postgres
import Synchronization

/// What a store remembers between two claims: where its walk stands, whose rows are held by others.
/// State behind `Mutex`; claims are asked by one caller at a time.
final class Claiming: Sendable {
    private struct State {
        var walk: RangeWalk
        var held: [UUID: ContinuousClock.Instant] = [:]
        var floor = DueFloor()
        var isDistributed = false
        var express = ExpressPace()
    }

    /// A row that somebody holds is not tried again for so long.
    private static let holdTime = Duration.seconds(30)

    private let state: Mutex<State>

    init() {
        var random = SystemRandomNumberGenerator()
        state = Mutex(State(walk: RangeWalk(using: &random)))
    }

    /// Begins a walk anew: from the start, in another order.
    func restart() {
        var random = SystemRandomNumberGenerator()
        state.withLock { $0.walk = RangeWalk(from: $0.floor.cursor, using: &random) }
    }

    /// From where on walks look.
    func withFloor<R>(_ body: (inout DueFloor) -> R) -> R { state.withLock { body(&$0.floor) } }

    var ask: RangeWalk.Ask { state.withLock { $0.walk.ask } }

    func took(isFull: Bool, last: Cursor?) -> Bool {
        state.withLock { $0.walk.took(isFull: isFull, last: last) }
    }

    /// Whether the database refused what only tables on several machines refuse.
    var isDistributed: Bool { state.withLock(\.isDistributed) }

    func noteDistribution() { state.withLock { $0.isDistributed = true } }

    /// When urgent messages are looked for.
    func withExpress<R>(_ body: (inout ExpressPace) -> R) -> R { state.withLock { body(&$0.express) } }

    /// Users whose rows somebody holds, or held a while ago.
    var held: [UUID] {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.held = state.held.filter { $0.value > now }
            return Array(state.held.keys)
        }
    }

    func hold(_ users: some Sequence<UUID>) {
        let end = ContinuousClock.now + Self.holdTime
        state.withLock { state in
            for user in users { state.held[user] = end }
        }
    }
}
