package import Store

/// Which lanes are configured, and which lane serves a device.
package struct LaneDirectory: Sendable, Equatable {
    /// For devices without an environment or topic.
    package let standard: LaneIdentity
    package let all: Set<LaneIdentity>
    /// The lanes of topics that are configured in both environments, each with its lane in the other environment.
    private let counterparts: [LaneIdentity: LaneIdentity]

    package init(standard: LaneIdentity, others: [LaneIdentity] = []) {
        self.standard = standard
        let all = Set(others).union([standard])
        self.all = all
        counterparts = Dictionary(
            all.compactMap { lane in lane.inOtherEnvironment.map { (lane, $0) } }.filter { all.contains($0.1) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    /// The lane of the same topic in the other environment. nil: none is configured.
    package func counterpart(of lane: LaneIdentity) -> LaneIdentity? {
        counterparts.isEmpty ? nil : counterparts[lane]
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

    /// The same topic in the other environment. nil: the environment is neither sandbox nor production.
    var inOtherEnvironment: LaneIdentity? {
        switch environment {
        case "sandbox": LaneIdentity(environment: "production", topic: topic)
        case "production": LaneIdentity(environment: "sandbox", topic: topic)
        default: nil
        }
    }
}
