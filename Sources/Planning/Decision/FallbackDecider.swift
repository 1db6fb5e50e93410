import NudgedKit
import Policy

/// Decides in the decision service's place, by the user's `fallback_strategy`.
struct FallbackDecider: Sendable {
    /// What it looks at.
    struct Nudge: Sendable {
        var kind: NudgeKind
        /// As the policy found: the sender said so, or a keyword of the user's occurs.
        var isUrgent = false
        /// Whether it speaks to this user by name.
        var isMention = false
    }

    /// Why it sends or not; the words are the record's reason.
    enum Ground: String, Sendable, CaseIterable {
        case urgent = "urgent"
        case mention = "mention"
        /// A check-in goes out with the configured words.
        case template = "template"
        /// Somebody set it for this hour: that it is wanted was decided then.
        case reminder = "reminder"
        case notUrgent = "neither urgent nor a mention"
        case notifyAll = "notify_all"
        case suppressAll = "suppress_all"
    }

    struct Decision: Sendable, Equatable {
        let shouldNotify: Bool
        let ground: Ground

        init(_ shouldNotify: Bool, _ ground: Ground) {
            self.shouldNotify = shouldNotify
            self.ground = ground
        }
    }

    let strategy: FallbackStrategy

    /// The texts stay the nudge's own.
    func decide(_ nudge: Nudge) -> Decision {
        switch strategy {
        case .notifyAll: Decision(true, .notifyAll)
        case .suppressAll: Decision(false, .suppressAll)
        case .simpleRules: simple(nudge)
        }
    }

    private func simple(_ nudge: Nudge) -> Decision {
        if nudge.isUrgent { return Decision(true, .urgent) }
        if nudge.isMention { return Decision(true, .mention) }
        return switch nudge.kind {
        case .message: Decision(false, .notUrgent)
        case .checkIn: Decision(true, .template)
        case .reminder: Decision(true, .reminder)
        }
    }
}
