package import Store

/// Which lanes there are, and whose a device is.
package struct LaneDirectory: Sendable, Equatable {
    /// For devices that name no environment or topic.
    package let standard: LaneIdentity
    private let all: Set<LaneIdentity>

    package init(standard: LaneIdentity, others: [LaneIdentity] = []) {
        self.standard = standard
        all = Set(others).union([standard])
    }

    /// nil: no lane serves it.
    package func lane(of device: Device) -> LaneIdentity? {
        // Nearly all are of the standard lane: comparing is cheaper than hashing.
        if device.environment ?? standard.environment == standard.environment,
            device.topic ?? standard.topic == standard.topic
        {
            return standard
        }
        let lane = LaneIdentity(
            environment: device.environment ?? standard.environment,
            topic: device.topic ?? standard.topic
        )
        return all.contains(lane) ? lane : nil
    }
}
