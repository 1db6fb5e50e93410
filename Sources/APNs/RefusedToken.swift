/// A push whose token Apple refuses for this environment and topic.
public struct RefusedToken: Sendable, Equatable {
    /// The push's tag.
    public let tag: UInt64
    /// Apple's reason: BadDeviceToken or DeviceTokenNotForTopic.
    public let reason: String
}
