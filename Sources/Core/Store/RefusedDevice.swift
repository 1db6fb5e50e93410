package import FoundationEssentials
package import TimeZones

/// A device whose token Apple refuses for an environment and topic.
package struct RefusedDevice: Sendable {
    package let userID: UUID
    /// Identifies the device without its token.
    package let deviceHash: String
    /// `sandbox` or `production`.
    package let environment: String
    package let topic: String
    let registration: Int64?
    let at: Instant
    /// Apple's reason.
    package let reason: String

    /// - Parameter registration: the refused one (`Device.registration`). Another one ends the quarantine.
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
