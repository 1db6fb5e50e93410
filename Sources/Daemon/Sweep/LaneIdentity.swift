import Store

/// What the one lane serves: devices of this environment and topic, and those that name none.
struct LaneIdentity: Sendable, Equatable {
    /// `sandbox` or `production`.
    let environment: String
    /// The bundle id.
    let topic: String

    func serves(_ device: Device) -> Bool {
        (device.environment ?? environment) == environment && (device.topic ?? topic) == topic
    }
}
