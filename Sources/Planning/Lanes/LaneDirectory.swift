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

/// Names a lane: what a device says of itself. Its key, connections, token, backoff and stop are the lane's own.
package struct LaneIdentity: Sendable, Hashable {
    /// `sandbox` or `production`.
    package let environment: String
    /// The bundle id.
    package let topic: String

    package init(environment: String, topic: String) {
        self.environment = environment
        self.topic = topic
    }

    /// For people.
    package var words: String { "\(topic) (\(environment))" }
}
