package import HTTP2
package import OpenSSL

/// Apple's service that a device token belongs to.
package enum APNsEnvironment: String, Sendable, Hashable, CaseIterable {
    /// Development builds.
    case sandbox
    /// App Store, TestFlight and ad hoc builds.
    case production

    package var host: String { self == .sandbox ? "api.sandbox.push.apple.com" : "api.push.apple.com" }
}

/// The configuration of one lane (key, environment, topic).
package struct SenderConfiguration: Sendable, Equatable {
    /// The ten characters of the developer team: the claim `iss`.
    package var teamID: String
    /// The ten characters of the key: the header `kid`.
    package var keyID: String
    /// Apple's signing key, the `.p8` file.
    package var signingKey: P256SigningKey
    /// The app's bundle id: the lane's only topic. A push with another topic is rejected.
    package var topic: String
    package var environment: APNsEnvironment
    /// The most connections, opened when needed.
    package var connections = 1
    /// The most pushes in flight on all connections together. Default: Apple's usual number of streams.
    package var maxInFlight = 1_000
    /// Where and how connections are made. A push without an answer at its deadline has an unknown outcome.
    package var client: ClientConfiguration

    package struct Endpoint: Sendable, Equatable, CustomStringConvertible {
        /// Name or address, without brackets. The server's certificate must contain it.
        package var host: String
        package var port: UInt16

        package init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

        /// Apple, "Sending notification requests to APNs". `api.development` is another name of the sandbox.
        private static let applesHosts = ["api", "api.sandbox", "api.development"].map { "\($0).push.apple.com" }
        private static let applesPorts: [UInt16] = [443, 2197]

        package var isApples: Bool {
            let name = host.lowercased()
            return Self.applesHosts.contains(name.hasSuffix(".") ? String(name.dropLast()) : name)
                && Self.applesPorts.contains(port)
        }

        /// `api.push.apple.com:443`.
        package var description: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }
    }

    /// A configuration with defaults for limits and time-outs. `endpoint`: another server, for tests and the demo. Nil:
    /// Apple's, which listens at 443 and 2197. `caFile`: a PEM file of trusted roots. Nil: the system's.
    package init(
        teamID: String,
        keyID: String,
        signingKey: P256SigningKey,
        topic: String,
        environment: APNsEnvironment,
        endpoint: Endpoint? = nil,
        caFile: String? = nil
    ) {
        (self.teamID, self.keyID, self.signingKey) = (teamID, keyID, signingKey)
        (self.topic, self.environment) = (topic, environment)
        let server = endpoint ?? Endpoint(host: environment.host, port: 443)
        client = ClientConfiguration(host: server.host, port: server.port, caFile: caFile)
        // An answer's body is under 100 bytes. A longer one is ignored.
        client.maximumBody = 8_192
        client.keptFields = ["retry-after"]
    }

    package var server: Endpoint { Endpoint(host: client.host, port: client.port) }

    var authority: String { client.port == 443 ? client.host : "\(client.host):\(client.port)" }

    /// One connection's share of the pushes in flight. When all connections have theirs, another one is opened.
    var share: Int { (maxInFlight + connections - 1) / connections }

    func hasKey(of other: SenderConfiguration) -> Bool {
        keyID == other.keyID && teamID == other.teamID && signingKey == other.signingKey
    }

    /// Whether the two are equal apart from limits and time-outs.
    func isLike(_ other: SenderConfiguration) -> Bool {
        hasKey(of: other) && topic == other.topic && environment == other.environment && server == other.server
            && client.caFile == other.client.caFile
    }
}
