/// What became of a push. Reasons are Apple's words, or ours in snake case.
public enum PushOutcome: Sendable, Equatable {
    /// Apple took it (200).
    case accepted
    /// Final for this device and nudge. `status` is nil where it was never sent; `deletes` is set for 410 only.
    case rejected(status: Int?, reason: String, deletes: TokenDeletion?)
    /// The token is refused for this environment and topic. Whether its device is to blame is said later, when the
    /// window of answers closes: by `onQuarantine`, or never where the lane itself is misconfigured (then it stops).
    case suspect(status: Int, reason: String)
    /// Answered, not delivered: this device again later. `retryAfter` in seconds where Apple gave one.
    case delayed(reason: String, status: Int, retryAfter: Int?)
    /// Never written, or answered in a way that leaves the work as it was: may be claimed again at once.
    case unsent(reason: String)
    /// Written, no answer: Apple may have delivered it.
    case unknown(reason: String)

    var isSuspect: Bool {
        if case .suspect = self { true } else { false }
    }

    /// The device token is no hexadecimal of 2 to 200 digits.
    public static let invalidToken = PushOutcome.rejected(status: nil, reason: "invalid_token", deletes: nil)
    /// The payload is over Apple's limit.
    public static let payloadTooLarge = PushOutcome.rejected(status: nil, reason: "payload_too_large", deletes: nil)
    /// The collapse id is empty, over 64 bytes or not printable ASCII.
    public static let invalidCollapseID = PushOutcome.rejected(
        status: nil,
        reason: "invalid_collapse_id",
        deletes: nil
    )
}
