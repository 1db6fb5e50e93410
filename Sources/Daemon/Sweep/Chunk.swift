import APNs
import Policy
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// Pushes that share one intent: committed, written and settled together.
struct Chunk: Sendable {
    let leaseID: UUID
    let number: Int32
    let sweepID: UUID
    let attemptedAt: Instant
    /// Those whose intent holds.
    var nudges: [PlannedNudge]

    var pushCount: Int { nudges.reduce(0) { $0 + $1.targets.count } }

    /// Collects the chunk's outcomes until each push has one. The sender calls it from its own threads.
    final class Collector: Sendable {
        private struct State {
            var outcomes: [PushOutcome?]
            var missing: Int
        }

        private let state: Mutex<State>
        private let onComplete: @Sendable ([PushOutcome]) -> Void

        init(count: Int, onComplete: @escaping @Sendable ([PushOutcome]) -> Void) {
            state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
            self.onComplete = onComplete
        }

        /// Tags are indices into the chunk's pushes.
        func take(_ results: [PushResult]) {
            let complete: [PushOutcome]? = state.withLock { state in
                guard state.missing > 0 else { return nil }
                for result in results {
                    guard let index = Int(exactly: result.tag), state.outcomes.indices.contains(index),
                        state.outcomes[index] == nil
                    else { continue }
                    state.outcomes[index] = result.outcome
                    state.missing -= 1
                }
                return state.missing == 0 ? state.outcomes.compactMap(\.self) : nil
            }
            if let complete { onComplete(complete) }
        }
    }
}
