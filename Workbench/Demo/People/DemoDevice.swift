/// A registered device, and Apple's answer to its pushes.
struct DemoDevice: Sendable, Equatable {
    /// Apple's answer to a push.
    enum Answer: Sendable, Equatable {
        case accepted
        /// 410 Unregistered with an instant (Unix seconds). The token is deleted if it was registered before that.
        case unregistered(since: Int64)
        /// 400 BadDeviceToken.
        case badToken
        /// 429 TooManyRequests once, then 200.
        case busyOnce
        /// 503 ServiceUnavailable once, then 200.
        case troubledOnce
        /// RST_STREAM with REFUSED_STREAM once: the push was not processed. Then 200.
        case refusedOnce
    }

    /// Hexadecimal, except for a few that an app stored wrongly.
    let token: String
    let platform: String
    /// Unix seconds.
    let registeredAt: Int64
    let answer: Answer

    /// Whether a push to it is to delete the token.
    var isStale: Bool {
        if case .unregistered(let since) = answer { since > registeredAt } else { false }
    }
}
