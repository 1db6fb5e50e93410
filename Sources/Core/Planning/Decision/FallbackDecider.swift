import NudgedPreferences
import Policy

/// Decides instead of the decision service, by the user's `fallback_strategy`.
struct FallbackDecider: Sendable {
    /// What the decision depends on.
    struct Nudge: Sendable {
        var kind: NudgeKind
        /// The policy's result: the sender marked it urgent, or it contains one of the user's keywords.
        var isUrgent = false
        /// Whether it mentions this user.
        var isMention = false
    }

    /// Why it sends or not. The raw value starts the record's reason.
    enum Ground: String, Sendable, CaseIterable {
        case urgent = "urgent"
        case mention = "mention"
        /// A check-in is sent with its own text.
        case template = "template"
        /// Its author set it for this time, so it is wanted.
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

    /// Decides about sending only. The texts don't change.
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
