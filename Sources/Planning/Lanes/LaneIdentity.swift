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
