public import FoundationEssentials
public import TimeZones

/// A device whose token Apple refuses for an environment and topic.
public struct RefusedDevice: Sendable {
    /// Whose it is.
    public let userID: UUID
    /// In place of its token.
    public let deviceHash: String
    /// `sandbox` or `production`.
    public let environment: String
    /// The topic that was asked for.
    public let topic: String
    let registration: Int64?
    let at: Instant
    /// Apple's word.
    public let reason: String

    /// - Parameter registration: the refused one (`Device.registration`): another one lifts the quarantine.
    public init(
        userID: UUID,
        deviceHash: String,
        environment: String,
        topic: String,
        registration: Int64?,
        at: Instant,
        reason: String
    ) {
        self.userID = userID
        self.deviceHash = deviceHash
        self.environment = environment
        self.topic = topic
        self.registration = registration
        self.at = at
        self.reason = reason
    }
}
