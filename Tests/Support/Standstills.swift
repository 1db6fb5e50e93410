import Dispatch
import Glibc
import Synchronization

/// Counts how often this process, and most likely the whole machine, did not run for seconds: a laptop that slept, a
/// virtual machine that was paused.
final class Standstills: Sendable {
    static let shared = {
        let standstills = Standstills()
        // A thread of its own, which lasts as long as the program.
        DispatchQueue(label: "nudged.test.standstills").async {
            while true {
                usleep(20_000)
                _ = standstills.count
            }
        }
        return standstills
    }()

    private let state = Mutex((last: ContinuousClock.now, count: 0))

    /// Looks at the clock itself: after a standstill, the caller may run before the thread does.
    var count: Int {
        state.withLock { state in
            let now = ContinuousClock.now
            // A busy machine lets the thread wait for tenths of a second at most.
            if now - state.last > .seconds(5) { state.count += 1 }
            state.last = now
            return state.count
        }
    }
}
