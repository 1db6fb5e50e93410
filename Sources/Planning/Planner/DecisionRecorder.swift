package import Policy
import Synchronization

/// Keeps each evaluation of one user's plan: `nudged explain` shows the very questions that a sweep would ask.
package final class DecisionRecorder: Sendable {
    /// One question and its answer.
    package struct Entry: Sendable, Equatable {
        package let kind: NudgeKind
        /// Names the message or the digest, never what it says; nil: a check-in, whose slot is in the answer.
        package let key: String?
        /// The messages that it is about.
        package let members: [String]
        package let decision: Decision
        package let trace: [TraceStep]
    }

    private let noted = Mutex<[Entry]>([])
    private let templates = Mutex<[(template: Int32, fate: TemplateFate)]>([])

    package init() {}

    /// In the order in which they were asked; the same answer twice is one.
    package var entries: [Entry] { noted.withLock { $0 } }

    /// What became of each template, where a check-in goes out.
    package var fates: [(template: Int32, fate: TemplateFate)] { templates.withLock { $0 } }

    func note(fates: [(template: Int32, fate: TemplateFate)]) { templates.withLock { $0 = fates } }

    func note(_ entry: Entry) {
        noted.withLock { entries in
            if entries.last != entry { entries.append(entry) }
        }
    }
}
