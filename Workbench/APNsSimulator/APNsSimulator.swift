import Base
package import HTTP2Server
package import Certificates

/// A simulated Apple push service: TLS, HTTP/2, Apple's checks of a request, and scripted behaviour.
///
/// It listens on a loopback address, on its own thread. It logs what it did. A script must not call its methods.
package final class APNsSimulator: Sendable {
    private let server: Server
    private let handler: SimulatorHandler

    package var port: UInt16 { server.port }

    /// The value for `apns.endpoint`. The certificate must name `localhost`.
    package var endpoint: String { "https://localhost:\(port)" }

    /// Opens the listening socket; `start` serves. `configure` changes what the script doesn't set (ALPN, pings …).
    package init(
        script: SimulatorScript,
        certificate: IssuedCertificate,
        port: UInt16 = 0,
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = ServerConfiguration(certificate)
        configuration.port = port
        configuration.maxConcurrentStreams = script.settings.firstStreams
        configure(&configuration)
        handler = try SimulatorHandler(script: script)
        server = try Server(configuration: configuration, handler: handler)
    }

    package func start() throws { try server.start() }

    package func stop() { server.stop() }

    /// Refuses new TCP connections until `acceptConnections`. Those whose handshake is over stay open.
    package func refuseConnections() { server.refuseConnections() }

    package func acceptConnections() throws { try server.acceptConnections() }

    /// From the next request on. A connection's first SETTINGS frame and the log stay as they were.
    package func setScript(_ script: SimulatorScript) throws { try handler.setScript(script) }

    /// Answers all held pushes (`ScriptedAnswer.held`), oldest first.
    package func release() { handler.release() }

    /// Performs an action on every open connection, or on the one with this number, now.
    package func perform(_ action: ConnectionAction, onConnection number: Int? = nil) {
        for connection in handler.openConnections where number ?? connection.id == connection.id {
            connection.perform(action)
        }
    }

    package var openConnections: [Int] { handler.openConnections.map(\.id) }
    package var counts: SimulatorCounts { handler.log.withLock { $0.counts } }
    package var serverCounters: ServerCounters { server.counters }
    /// How many different provider tokens it has seen since the script was set, good or bad.
    package var providerTokens: Int { handler.providerTokens }
    package func snapshot() -> SimulatorSnapshot { handler.log.withLock { $0 } }

    /// Waits until that many pushes were accepted since the start. False if `limit` passes first.
    package func waitUntil(accepted count: Int, within limit: Duration = .seconds(300)) async -> Bool {
        await wait(within: limit) { $0.accepted >= count }
    }

    package func wait(
        within limit: Duration = .seconds(300),
        until isMet: @Sendable (SimulatorCounts) -> Bool
    ) async -> Bool {
        let end = ContinuousClock.now + limit
        while !isMet(counts) {
            guard ContinuousClock.now < end, !Task.isCancelled else { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }
}

/// A simulated Apple's authority, its server certificate for `localhost`, and a provider key.
package struct SimulatorCertificate: Sendable {
    /// The authority's certificate as PEM text, for `apns.caFile`.
    package var authority: String { issuer.certificate }
    package let server: IssuedCertificate
    /// Its private half is what Apple hands out as a `.p8` file.
    package let providerKey: P256KeyPair
    private let issuer: SelfSignedAuthority

    package init() throws {
        issuer = try SelfSignedAuthority()
        server = try issuer.issue(for: ["localhost", "127.0.0.1", "::1"])
        providerKey = try P256KeyPair.generate()
    }

    /// Another server certificate of the same authority. A negative time makes an expired one.
    package func server(for names: [String], expiringIn seconds: Int = 86_400) throws -> IssuedCertificate {
        try issuer.issue(for: names, notAfter: seconds)
    }

    /// The provider key's public half, for `SimulatorSettings.keys`.
    package func registered(keyID: String, teamID: String) -> SimulatorSettings.ProviderKey {
        (keyID, teamID, providerKey.publicKey)
    }
}
