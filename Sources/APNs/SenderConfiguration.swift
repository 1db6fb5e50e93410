/// Everything that one lane, (key, environment, topic), needs.
public struct SenderConfiguration: Sendable, Equatable {
    /// The developer team's ten characters: the claim `iss`.
    public var teamID: String
    /// The key's ten characters: the header `kid`.
    public var keyID: String
    /// The text of the `.p8` file.
    public var signingKeyPEM: String
    /// The app's bundle id: the topic of this lane. A push of another topic is rejected.
    public var topic: String
    /// Sandbox or production.
    public var environment: APNsEnvironment
    /// Another server, for tests and the demo; nil: Apple's.
    public var endpoint: Endpoint?
    /// A PEM file of trusted roots; nil: the system's.
    public var caFile: String?
    /// The most connections, opened as needed. Default 1.
    public var connections = 1
    /// The most pushes in flight, over all connections. Default 1,000: Apple's usual streams.
    public var maxInFlight = 1_000
    /// Milliseconds from a push's submission to its answer, after which it is unknown. Default 10 s.
    public var requestDeadline: Int64 = 10_000
    /// Milliseconds for name, TCP, TLS and SETTINGS. Default 10 s.
    public var connectTimeout: Int64 = 10_000

    /// Milliseconds without a byte from Apple after which a PING asks whether it is still there. Default 60 s.
    public var pingInterval: Int64 = 60_000
    /// Milliseconds for the PING's answer, after which the connection counts as lost. Default 10 s.
    public var pingTimeout: Int64 = 10_000

    /// Host and port of a server that stands in for Apple's.
    public struct Endpoint: Sendable, Equatable {
        /// Name or address; its certificate must name it.
        public var host: String
        /// TCP port.
        public var port: UInt16

        /// All parts.
        public init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// The parts without a default.
    public init(
        teamID: String,
        keyID: String,
        signingKeyPEM: String,
        topic: String,
        environment: APNsEnvironment,
        endpoint: Endpoint? = nil,
        caFile: String? = nil
    ) {
        self.teamID = teamID
        self.keyID = keyID
        self.signingKeyPEM = signingKeyPEM
        self.topic = topic
        self.environment = environment
        self.endpoint = endpoint
        self.caFile = caFile
    }

    /// Whether the two differ in limits and times only.
    func isLike(_ other: SenderConfiguration) -> Bool {
        var like = other
        like.connections = connections
        like.maxInFlight = maxInFlight
        like.requestDeadline = requestDeadline
        like.connectTimeout = connectTimeout
        like.pingInterval = pingInterval
        like.pingTimeout = pingTimeout
        return like == self
    }

    /// Where connections go.
    public var host: String { endpoint?.host ?? environment.host }
    /// Apple listens at 443 and 2197.
    public var port: UInt16 { endpoint?.port ?? 443 }
}
