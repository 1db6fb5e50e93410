import Base

@testable import APNs

/// Clocks that stand until a test moves them, with the timer that goes by them.
final class ManualClock: Sendable {
    private struct State {
        var now: Int64
        /// The wall clock as it ought to be, and how far it was stepped from there.
        var rightWall: Int64
        var step: Int64 = 0
        var wakes: [(at: Int64, action: @Sendable () -> Void)] = []
    }

    private let state: Mutex<State>

    /// Starts at the machine's clocks, because the connection compares `writeBy` with the real one.
    init() {
        let system = SenderClock.system
        state = Mutex(State(now: system.now(), rightWall: system.wall()))
    }

    var now: Int64 { state.withLock { $0.now } }
    var wall: Int64 { state.withLock { $0.rightWall + $0.step } }
    /// Everybody else's wall clock.
    var rightWall: Int64 { state.withLock { $0.rightWall } }

    var clock: SenderClock {
        SenderClock(
            now: { self.now },
            wall: { self.wall },
            wake: { at, action in self.state.withLock { $0.wakes.append((at, action)) } }
        )
    }

    /// Moves both clocks on and runs what is due then, in order.
    func pass(_ milliseconds: Int64) {
        state.withLock { state in
            state.now += milliseconds
            state.rightWall += milliseconds
        }
        while let action = takeDue() { action() }
    }

    /// Sets the wall clock wrong by so many milliseconds, and nothing else.
    func stepWall(to error: Int64) {
        state.withLock { $0.step = error }
    }

    private func takeDue() -> (@Sendable () -> Void)? {
        state.withLock { state in
            let due = state.wakes.indices.filter { state.wakes[$0].at <= state.now }
            guard let first = due.min(by: { state.wakes[$0].at < state.wakes[$1].at }) else { return nil }
            return state.wakes.remove(at: first).action
        }
    }
}
