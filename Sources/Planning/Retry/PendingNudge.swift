import Policy
import TimeZones

/// What may be sent to a user: their next check-in, whose slot the policy names, or a text.
enum PendingNudge {
    case checkIn
    case text(PendingText)

    var text: PendingText? {
        if case .text(let text) = self { text } else { nil }
    }

    var kind: NudgeKind { text?.identity.kind ?? .checkIn }

    var rules: RetryRules { .of(kind) }

    /// What the policy is asked about.
    var subject: Nudge { text?.nudge ?? .checkIn }

    /// Which nudge a decision lets go. nil: none.
    func identity(sentBy decision: Decision) -> NudgeIdentity? {
        guard decision.action == .send else { return nil }
        return text?.identity ?? decision.slot.map(NudgeIdentity.checkIn)
    }

    /// Why devices that are left get it no more.
    func staleReason(_ decision: Decision) -> String { text == nil ? "stale" : decision.reason.rawValue }
}

/// What differs between the kinds of nudges in their one flow.
struct RetryRules {
    /// Someone waits for it: where an outcome is unknown, the push is repeated once, with the same ids. Else it is
    /// never written again.
    let isRepeatedOnce: Bool
    /// What is left of it is remembered while the policy does not let it go. Else it is new once the policy lets it go
    /// again.
    let outlivesItsAnswer: Bool
    /// Once it counts and is evaluated anew, any answer but `drop` keeps what is left. Else only the night and the caps
    /// do.
    let isKeptByAnyWait: Bool
    /// Its own next instant stands in its `Retry`, where the row's `due_at` finds it. Else it is one of several that
    /// wait, and the plan notes the earliest.
    let isDueByItsRetry: Bool

    static func of(_ kind: NudgeKind) -> RetryRules {
        switch kind {
        case .checkIn:
            RetryRules(isRepeatedOnce: false, outlivesItsAnswer: false, isKeptByAnyWait: false, isDueByItsRetry: true)
        case .message, .reminder:
            RetryRules(isRepeatedOnce: true, outlivesItsAnswer: true, isKeptByAnyWait: true, isDueByItsRetry: false)
        }
    }

    /// Whether what is left of a nudge that counts waits for another answer than this.
    func isKept(by decision: Decision) -> Bool {
        switch decision.action {
        case .wait: isKeptByAnyWait || decision.reason == .quietHours || decision.reason == .capped
        case .hold: isKeptByAnyWait
        case .send, .drop: false
        }
    }
}
