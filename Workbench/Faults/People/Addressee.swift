/// One row of `push_tokens`, and Apple's answer to its pushes.
public struct Addressee: Sendable, Equatable {
    /// Apple's answer to a push for this device.
    public enum Answer: Sendable, Equatable {
        /// 200.
        case accepted
        /// 410 with this instant (seconds since 1970). It allows the token's deletion only if the device registered
        /// before.
        case gone(since: Int64)
    }

    /// 64 hex digits.
    public var token: String
    /// Seconds since 1970.
    public var registeredAt: Int64
    /// `ios`, or a platform that nudged ignores.
    public var platform: String
    /// Apple's answer.
    public var answer: Answer

    /// A device.
    public init(token: String, registeredAt: Int64, platform: String = "ios", answer: Answer = .accepted) {
        self.token = token
        self.registeredAt = registeredAt
        self.platform = platform
        self.answer = answer
    }

    /// Whether Apple's answer lets the daemon delete the token.
    public var mayBeDeleted: Bool {
        if case .gone(let since) = answer { return since > registeredAt }
        return false
    }
}
