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
            var last = ContinuousClock.now
            while true {
                usleep(20_000)
                let now = ContinuousClock.now
                // A busy machine lets it wait for tenths of a second at most.
                if now - last > .seconds(5) { standstills.total.add(1, ordering: .relaxed) }
                last = now
            }
        }
        return standstills
    }()

    private let total = Atomic<Int>(0)

    var count: Int { total.load(ordering: .relaxed) }
}
