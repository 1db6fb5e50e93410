import Policy
import Synchronization

/// Keeps what a judge asked of the policy while it judged one user: `nudged explain` shows the very questions that a sweep would ask.
final class DecisionRecorder: Sendable {
    /// One question and its answer.
    struct Entry: Sendable, Equatable {
        let kind: NudgeKind
        /// Names the message or the digest, never what it says; nil: a check-in, whose slot is in the answer.
        let key: String?
        /// The messages that it is about.
        let members: [String]
        let decision: Decision
        let trace: [TraceStep]
    }

    private let noted = Mutex<[Entry]>([])
    private let templates = Mutex<[(template: Int32, fate: TemplateFate)]>([])

    /// In the order in which they were asked; the same answer twice is one.
    var entries: [Entry] { noted.withLock { $0 } }

    /// What became of each template, where a check-in goes out.
    var fates: [(template: Int32, fate: TemplateFate)] { templates.withLock { $0 } }

    func note(fates: [(template: Int32, fate: TemplateFate)]) { templates.withLock { $0 = fates } }

    func note(_ entry: Entry) {
        noted.withLock { entries in
            if entries.last != entry { entries.append(entry) }
        }
    }
}
