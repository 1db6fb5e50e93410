/// The limits that the lane's state machine uses.
struct LaneLimits: Sendable, Equatable {
    /// The lane's only topic. Another topic would need its own connection.
    var topic: String
    var connections: Int
    var maxInFlight: Int

    /// How often the sender sends one push again.
    static let resends = 3
    /// Milliseconds between two probes of a stopped lane.
    static let probeInterval: Int64 = 60_000
    /// Milliseconds that a connection rests after TooManyProviderTokenUpdates.
    static let rest: Int64 = 1_200_000
    /// Milliseconds between two log lines about 5xx answers.
    static let stormInterval: Int64 = 10_000
    /// A connection that breaks within these milliseconds counts as short-lived.
    static let shortLife: Int64 = 10_000
    /// After this many missed deadlines in a row, a connection counts as dead.
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

    /// One connection's share of the pushes in flight. When all connections have theirs, another one is opened.
    var share: Int { (maxInFlight + connections - 1) / connections }
}
