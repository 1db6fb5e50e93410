import Policy
import Synchronization

/// Keeps what a judge asked of the policy while it judged one user: `nudged explain` shows the very questions that a sweep would ask.
final class DecisionRecorder: Sendable {
    /// One question and its answer.
    struct Entry: Sendable {
        let kind: NudgeKind
        let decision: Decision
        let trace: [TraceStep]
    }

    private let noted = Mutex<[Entry]>([])

    /// In the order in which they were asked; the same answer twice is one.
    var entries: [Entry] { noted.withLock { $0 } }

    func note(_ candidate: Candidate, _ decision: Decision, _ trace: [TraceStep]) {
        noted.withLock { entries in
            if let last = entries.last, last.decision == decision, last.trace == trace { return }
            entries.append(Entry(kind: candidate.nudge.kind, decision: decision, trace: trace))
        }
    }
}
