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
