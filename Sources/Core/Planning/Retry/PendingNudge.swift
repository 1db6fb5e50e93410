import Policy
import TimeZones

/// What may be sent to a user: a text, or the next check-in, whose slot the policy names.
enum PendingNudge {
    case checkIn
    case text(PendingText)

    var text: PendingText? {
        if case .text(let text) = self { text } else { nil }
    }

    var kind: NudgeKind { text?.identity.kind ?? .checkIn }

    var rules: RetryRules { .of(kind) }

    /// The policy's input.
    var subject: Nudge { text?.nudge ?? .checkIn }

    /// The nudge that a decision allows. nil: none.
    func identity(sentBy decision: Decision) -> NudgeIdentity? {
        guard decision.action == .send else { return nil }
        return text?.identity ?? decision.slot.map(NudgeIdentity.checkIn)
    }

    /// The record's reason why devices that are left don't get it any more.
    func staleReason(_ decision: Decision) -> String { text == nil ? "stale" : decision.reason.rawValue }
}

/// How the kinds of nudges differ in retries.
struct RetryRules {
    /// If an outcome is unknown, the push is repeated once with the same ids, since somebody waits for it. Otherwise it
    /// is never written again.
    let isRepeatedOnce: Bool
    /// What is left of it is kept while the policy does not allow it. Otherwise it starts as new when the policy allows
    /// it again.
    let outlivesItsAnswer: Bool
    /// If it counts and is evaluated again, any wait or hold keeps what is left. Otherwise only a wait for quiet hours
    /// or caps does.
    let isKeptByAnyWait: Bool
    /// Its next instant is in its `Retry`, and `due_at` is computed from that. Otherwise several may wait, and the plan
    /// notes the earliest.
    let isDueByItsRetry: Bool

    static func of(_ kind: NudgeKind) -> RetryRules {
        switch kind {
        case .checkIn:
            RetryRules(isRepeatedOnce: false, outlivesItsAnswer: false, isKeptByAnyWait: false, isDueByItsRetry: true)
        case .message, .reminder:
            RetryRules(isRepeatedOnce: true, outlivesItsAnswer: true, isKeptByAnyWait: true, isDueByItsRetry: false)
        }
    }

    /// Whether what is left of a nudge that counts is kept under this answer.
    func isKept(by decision: Decision) -> Bool {
        switch decision.action {
        case .wait: isKeptByAnyWait || decision.reason == .quietHours || decision.reason == .capped
        case .hold: isKeptByAnyWait
        case .send, .drop: false
        }
    }
}
