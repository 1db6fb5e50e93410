import Planning
package import APNs
import Policy
import Store
import Synchronization
import TimeZones

import struct FoundationEssentials.UUID

/// Pushes that share one intent: committed, written and settled together.
package struct Chunk: Sendable {
    let lane: LaneIdentity
    let leaseID: UUID
    let number: Int32
    let sweepID: UUID
    let attemptedAt: Instant
    /// Those whose intent holds.
    var turns: [PlannedTurn]

    var pushCount: Int { turns.reduce(0) { $0 + $1.pushCount } }

    /// The devices of refused pushes, as the verdict on them is written. Tags are indices into the chunk's pushes.
    func devices(_ refused: [RefusedToken], at: Instant) -> [RefusedDevice] {
        let reasons = Dictionary(refused.map { ($0.tag, $0.reason) }, uniquingKeysWith: { first, _ in first })
        var found: [RefusedDevice] = []
        var tag: UInt64 = 0
        for turn in turns {
            for target in turn.nudges.lazy.flatMap(\.targets) {
                defer { tag += 1 }
                guard let reason = reasons[tag] else { continue }
                found.append(
                    RefusedDevice(
                        userID: turn.userID,
                        deviceHash: target.hash,
                        environment: lane.environment,
                        topic: lane.topic,
                        registration: target.device.registration,
                        at: at,
                        reason: reason
                    )
                )
            }
        }
        return found
    }

    /// Collects the chunk's outcomes until each push has one. The sender calls it from its own threads.
    package final class Collector: Sendable {
        private struct State {
            var outcomes: [PushOutcome?]
            var missing: Int
        }

        private let state: Mutex<State>
        private let onComplete: @Sendable ([PushOutcome]) -> Void

        package init(count: Int, onComplete: @escaping @Sendable ([PushOutcome]) -> Void) {
            state = Mutex(State(outcomes: Array(repeating: nil, count: count), missing: count))
            self.onComplete = onComplete
        }

        /// Tags are indices into the chunk's pushes.
        package func take(_ results: [PushResult]) {
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
