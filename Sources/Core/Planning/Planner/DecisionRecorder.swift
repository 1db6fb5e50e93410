package import Policy
import Synchronization

/// Keeps each evaluation of one user's plan, so that `nudged explain` shows exactly what a sweep would evaluate.
package final class DecisionRecorder: Sendable {
    /// One evaluation and its answer.
    package struct Entry: Sendable, Equatable {
        package let kind: NudgeKind
        /// Names the message, reminder or digest, never its text. nil: a check-in, whose slot is in the decision.
        package let key: String?
        /// The messages or reminders that it is about.
        package let members: [String]
        package let decision: Decision
        package let trace: [TraceStep]
    }

    private let noted = Mutex<[Entry]>([])
    private let templates = Mutex<[(template: Int32, outcome: TemplateOutcome)]>([])

    package init() {}

    /// In the order of evaluation. The same answer twice in a row is one entry.
    package var entries: [Entry] { noted.withLock { $0 } }

    /// The result for each template, if a check-in is sent.
    package var templateOutcomes: [(template: Int32, outcome: TemplateOutcome)] { templates.withLock { $0 } }

    func note(templateOutcomes: [(template: Int32, outcome: TemplateOutcome)]) {
        templates.withLock { $0 = templateOutcomes }
    }

    func note(_ entry: Entry) {
        noted.withLock { entries in
            if entries.last != entry { entries.append(entry) }
        }
    }
}
