package import FoundationEssentials
import TimeZones

/// What an answer of Apple says about a device's environment: an element of the column `nudged.person.quarantine`.
package struct EnvironmentNote: Sendable, Equatable {
    package enum State: String, Sendable {
        /// The lane's window blames the device: nothing is sent to it here until it registers again. → `moved`.
        /// `Query.quarantine` writes it, without a name.
        case refused
        /// Apple answered BadDeviceToken here once, and the lane's window is open. It is tried in the other
        /// environment. → `moved`, `refused`.
        case suspected
        /// It was tried here, and refused. The next registration is tried again.
        case tried
        /// It works in the other environment of this topic. This never changes for a token.
        case moved
    }

    package let userID: UUID
    /// Never logged.
    package let token: String
    /// Identifies the device without its token.
    package let deviceHash: String
    /// The environment that the state is about: `sandbox` or `production`.
    package let environment: String
    package let topic: String
    package let state: State
    let registration: Int64?
    let at: Instant
    /// Apple's reason.
    package let reason: String

    /// Where a device that has moved works. nil: it has not moved.
    package var newEnvironment: String? {
        guard state == .moved else { return nil }
        return environment == "production" ? "sandbox" : "production"
    }

    /// One note for each device and lane, since several nudges of a flight can bring the same one.
    static func distinct(_ notes: [EnvironmentNote]) -> [EnvironmentNote] {
        var seen: Set<[String]> = []
        // In the order of user_id, like all writers that wait for locks.
        return notes.sorted { $0.userID < $1.userID }.filter {
            seen.insert([$0.userID.uuidString, $0.deviceHash, $0.environment, $0.topic, $0.state.rawValue]).inserted
        }
    }
}
