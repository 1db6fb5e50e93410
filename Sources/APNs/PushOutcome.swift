/// The outcome of a push. Reasons are Apple's, or nudged's in snake case.
public enum PushOutcome: Sendable, Equatable {
    /// Apple took the push.
    case accepted
    /// Final for this device and nudge. `status` is nil if the push was never sent. `deletes` is set only for a 410.
    case rejected(status: Int?, reason: String, deletes: TokenDeletion?)
    /// The token is refused for this environment and topic. When the window of answers closes, `onQuarantine` is called
    /// if the device is to blame. If the lane is misconfigured, it stops instead. A trial (`PushBatch.append`) counts
    /// in no window, so `onQuarantine` is not called.
    case suspect(status: Int, reason: String)
    /// Answered, not accepted: send to this device again later. `retryAfter` is in seconds.
    case delayed(reason: String, status: Int, retryAfter: Int?)
    /// Never written, or not accepted for a reason outside the push. It may be claimed again at once.
    case unsent(reason: String)
    /// Written without an answer: Apple may have delivered it.
    case unknown(reason: String)

    /// Apple's reason for a token that is broken, or of the other environment.
    package static let badDeviceToken = "BadDeviceToken"
    package static let invalidToken = PushOutcome.rejected(status: nil, reason: "invalid_token", deletes: nil)
    package static let payloadTooLarge = PushOutcome.rejected(status: nil, reason: "payload_too_large", deletes: nil)
}

/// Which registrations a 410 lets nudged delete: those older than an instant.
public enum TokenDeletion: Sendable, Equatable {
    /// The instant that Apple named, in milliseconds since 1970.
    case olderThan(timestamp: Int64)
    /// Apple named none: the instant at which the push was sent.
    case olderThanSend
}

/// The result of one push. Each push has exactly one.
package struct PushResult: Sendable, Equatable {
    /// The push's place in its batch.
    package let slot: Int
    package let outcome: PushOutcome
}

/// A push whose token Apple refuses for this environment and topic.
package struct RefusedToken: Sendable, Equatable {
    /// The push's place in its batch.
    package let slot: Int
    /// Apple's reason: BadDeviceToken or DeviceTokenNotForTopic.
    package let reason: String
}
