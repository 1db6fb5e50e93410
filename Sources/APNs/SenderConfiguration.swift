public import OpenSSL

/// The configuration of one lane (key, environment, topic).
public struct SenderConfiguration: Sendable, Equatable {
    /// The ten characters of the developer team: the claim `iss`.
    public var teamID: String
    /// The ten characters of the key: the header `kid`.
    public var keyID: String
    /// Apple's signing key, the `.p8` file.
    public var signingKey: P256SigningKey
    /// The app's bundle id: the lane's topic. A push with another topic is rejected.
    public var topic: String
    /// Sandbox or production.
    public var environment: APNsEnvironment
    /// Another server, for tests and the demo. Nil: Apple's.
    public var endpoint: Endpoint?
    /// A PEM file of trusted roots. Nil: the system's.
    public var caFile: String?
    /// The most connections, opened when needed. Default 1.
    public var connections = 1
    /// The most pushes in flight on all connections together. Default 1,000: Apple's usual number of streams.
    public var maxInFlight = 1_000
    /// Milliseconds from a push's submission to its answer. Without an answer by then, its outcome is unknown. Default
    /// 10 s.
    public var requestDeadline: Int64 = 10_000
    /// Milliseconds for name lookup, TCP, TLS and SETTINGS together. Default 10 s.
    public var connectTimeout: Int64 = 10_000

    /// Milliseconds without a byte from Apple before a PING is sent. Default 60 s.
    public var pingInterval: Int64 = 60_000
    /// Milliseconds to wait for the PING's answer. Then the connection counts as lost. Default 10 s.
    public var pingTimeout: Int64 = 10_000

    /// Host and port of a server that replaces Apple's.
    public struct Endpoint: Sendable, Equatable {
        /// Name or address. The server's certificate must contain it.
        public var host: String
        /// TCP port.
        public var port: UInt16

        /// An endpoint with these values.
        public init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }
    }

    /// A configuration with defaults for limits and time-outs.
    public init(
        teamID: String,
        keyID: String,
        signingKey: P256SigningKey,
        topic: String,
        environment: APNsEnvironment,
        endpoint: Endpoint? = nil,
        caFile: String? = nil
    ) {
        self.teamID = teamID
        self.keyID = keyID
        self.signingKey = signingKey
        self.topic = topic
        self.environment = environment
        self.endpoint = endpoint
        self.caFile = caFile
    }

    /// Whether the two are equal apart from limits and time-outs.
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

    /// Where connections go. Apple listens at 443 and 2197.
    public var server: Endpoint { endpoint ?? Endpoint(host: environment.host, port: 443) }
    /// The host that connections go to.
    public var host: String { server.host }
    /// The port that connections go to.
    public var port: UInt16 { server.port }
}

extension SenderConfiguration.Endpoint: CustomStringConvertible {
    /// Apple's hosts and ports (Apple, "Sending notification requests to APNs"). `api.development` is another name of
    /// the sandbox.
    private static let applesHosts = [
        "api.push.apple.com", "api.sandbox.push.apple.com", "api.development.push.apple.com",
    ]
    private static let applesPorts: [UInt16] = [443, 2197]

    /// Whether this is Apple's push service.
    public var isApples: Bool {
        let name = host.lowercased()
        return Self.applesHosts.contains(name.hasSuffix(".") ? String(name.dropLast()) : name)
            && Self.applesPorts.contains(port)
    }

    /// `api.push.apple.com:443`.
    public var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
}
