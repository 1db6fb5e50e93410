package import FoundationEssentials
import TimeZones

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
}
