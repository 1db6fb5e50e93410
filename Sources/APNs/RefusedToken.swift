/// A push whose device Apple refuses for this environment and topic, by the verdict on a window of answers.
public struct RefusedToken: Sendable, Equatable {
    /// The push's own tag.
    public let tag: UInt64
    /// Apple's word: BadDeviceToken or DeviceTokenNotForTopic.
    public let reason: String
}
