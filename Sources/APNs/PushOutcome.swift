/// The outcome of a push. Reasons are Apple's, or nudged's in snake case.
public enum PushOutcome: Sendable, Equatable {
    case accepted
    /// Final for this device and nudge. `status` is nil if the push was never sent. `deletes` is set only for a 410.
    case rejected(status: Int?, reason: String, deletes: TokenDeletion?)
    /// The token is refused for this environment and topic. When the window of answers closes, `onQuarantine` is called
    /// if the device is to blame. If the lane is misconfigured, it stops instead. A trial (`Push.isTrial`) counts in no
    /// window, so `onQuarantine` is not called.
    case suspect(status: Int, reason: String)
    /// Answered, not accepted: send to this device again later. `retryAfter` is in seconds.
    case delayed(reason: String, status: Int, retryAfter: Int?)
    /// Never written, or not accepted for a reason outside the push. It may be claimed again at once.
    case unsent(reason: String)
    /// Written without an answer: Apple may have delivered it.
    case unknown(reason: String)

    var isSuspect: Bool {
        if case .suspect = self { true } else { false }
    }

    /// Apple's reason for a token that is broken, or of the other environment.
    public static let badDeviceToken = "BadDeviceToken"

    /// The device token is not an even count of 2 to 200 hexadecimal digits.
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
