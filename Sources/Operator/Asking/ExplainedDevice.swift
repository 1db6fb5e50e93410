import Planning
import Service
import APNs
import Store
import TimeZones

/// A user's device in an explanation. It shows the token's hash, never the token.
struct ExplainedDevice: Sendable, Equatable {
    enum Standing: Sendable, Equatable {
        case served
        /// Apple refused it at this instant. It gets nothing until it registers again.
        case quarantined(at: Instant, reason: String)
        /// No lane of this configuration serves its environment and topic.
        case notServed
    }

    let hash: String
    /// The device's name in the journal.
    let journalName: String
    let environment: String
    let topic: String
    let registeredAt: Instant?
    let standing: Standing

    static func all(of user: ClaimedUser, _ lanes: LaneDirectory, _ names: DeviceNames) -> [ExplainedDevice] {
        let quarantine = user.quarantine.map(Quarantine.init(json:))
        return user.devices.map { device in
            let lane = lanes.lane(of: device)
            let entry = lane.flatMap { quarantine?.entry(for: device, on: $0) }
            let standing: Standing =
                lane == nil ? .notServed : entry.map { .quarantined(at: $0.at, reason: $0.reason) } ?? .served
            let hash = PushIdentity.deviceHash(token: device.token)
            return ExplainedDevice(
                hash: hash,
                journalName: names.name(hash),
                environment: device.environment ?? lanes.standard.environment,
                topic: device.topic ?? lanes.standard.topic,
                registeredAt: device.registeredAt,
                standing: standing
            )
        }
    }
}
