/// The numbers of a configuration that the lane's state machine goes by.
struct LaneLimits: Sendable, Equatable {
    /// The only topic of the lane: a further one would need a connection of its own.
    var topic: String
    var connections: Int
    var maxInFlight: Int

    /// Resends of one push inside the sender.
    static let resends = 3
    /// Milliseconds between probes of a stopped lane.
    static let probeInterval: Int64 = 60_000
    /// Milliseconds for which a connection rests after TooManyProviderTokenUpdates.
    static let rest: Int64 = 1_200_000
    /// Milliseconds between two log lines about one storm.
    static let stormInterval: Int64 = 10_000
    /// Milliseconds within which a connection that breaks counts as short-lived.
    static let shortLife: Int64 = 10_000
    /// Deadlines in a row, without an answer between them, after which a connection counts as dead.
    static let silence = 3

    init(topic: String, connections: Int, maxInFlight: Int) {
        self.topic = topic
        self.connections = max(connections, 1)
        self.maxInFlight = max(maxInFlight, 1)
    }

    init(_ configuration: SenderConfiguration) {
        self.init(
            topic: configuration.topic,
            connections: configuration.connections,
            maxInFlight: configuration.maxInFlight
        )
    }

    /// One connection's part of what may be in flight: over it the next connection is opened.
    var share: Int { (maxInFlight + connections - 1) / connections }
}
