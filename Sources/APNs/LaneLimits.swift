/// What the lane's state machine knows of the configuration: its limits, and where its connections go.
struct LaneLimits: Sendable, Equatable {
    /// The lane's only topic. Another topic would need its own connection.
    var topic: String
    var connections: Int
    var maxInFlight: Int
    /// For the log only.
    var server: SenderConfiguration.Endpoint

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

    init(_ configuration: SenderConfiguration) {
        topic = configuration.topic
        connections = max(configuration.connections, 1)
        maxInFlight = max(configuration.maxInFlight, 1)
        server = configuration.server
    }

    /// One connection's share of the pushes in flight. When all connections have theirs, another one is opened.
    var share: Int { (maxInFlight + connections - 1) / connections }
}
