package import FoundationEssentials
package import TimeZones

/// A device whose token Apple refuses for an environment and topic.
package struct RefusedDevice: Sendable {
    /// Whose it is.
    package let userID: UUID
    /// In place of its token.
    package let deviceHash: String
    /// `sandbox` or `production`.
    package let environment: String
    /// The topic that was asked for.
    package let topic: String
    let registration: Int64?
    let at: Instant
    /// Apple's word.
    package let reason: String

    /// - Parameter registration: the refused one (`Device.registration`): another one lifts the quarantine.
    package init(
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
