package import Store

/// Which lanes are configured, and which lane serves a device.
package struct LaneDirectory: Sendable, Equatable {
    /// For devices without an environment or topic.
    package let standard: LaneIdentity
    package let all: Set<LaneIdentity>

    package init(standard: LaneIdentity, others: [LaneIdentity] = []) {
        self.standard = standard
        all = Set(others).union([standard])
    }

    /// nil: no lane serves it.
    package func lane(of device: Device) -> LaneIdentity? {
        // Nearly all devices have the standard lane, and comparing is cheaper than hashing.
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

/// Names a lane by its devices' environment and topic. Each lane has its own key, connections, provider token and
/// back-off, and stops alone.
package struct LaneIdentity: Sendable, Hashable {
    /// `sandbox` or `production`.
    package let environment: String
    /// The bundle id.
    package let topic: String

    package init(environment: String, topic: String) {
        self.environment = environment
        self.topic = topic
    }

    /// As text for an operator.
    package var text: String { "\(topic) (\(environment))" }
}
