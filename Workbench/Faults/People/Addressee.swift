/// One row of `push_tokens`, and what Apple says of it.
public struct Addressee: Sendable, Equatable {
    /// What Apple answers to a push for this device.
    public enum Answer: Sendable, Equatable {
        /// 200
        case accepted
        /// 410, dead since this instant (seconds since 1970). It is a reason to delete the token only where the device has not registered since.
        case gone(since: Int64)
    }

    /// 64 hex digits.
    public var token: String
    /// Seconds since 1970.
    public var registeredAt: Int64
    /// `ios`, or another that the daemon leaves alone.
    public var platform: String
    /// Apple's.
    public var answer: Answer

    /// All parts.
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
