public import HTTP2Server
public import Certificates

/// A simulated Apple push service: TLS, HTTP/2, Apple's checks of a request, and scripted behaviour.
///
/// It listens on a loopback address and runs on its own thread. It logs what it did.
public final class APNsSimulator: Sendable {
    private let server: Server
    private let handler: SimulatorHandler

    /// The TCP port.
    public let port: UInt16

    /// The value for `apns.endpoint`. The certificate must name `localhost`.
    public var endpoint: String { "https://localhost:\(port)" }

    /// Opens the listening socket. Requests are answered after `start`.
    ///
    /// - Parameters:
    ///   - script: its behaviour.
    ///   - certificate: the server's certificate; see `SimulatorCertificate`.
    ///   - port: 0 takes any free port.
    ///   - configure: changes what the script doesn't set: addresses, windows, pings, ALPN, handshakes.
    /// - Throws: if a provider key is invalid, the port is taken, or the log file can't be opened.
    public init(
        script: SimulatorScript,
        certificate: IssuedCertificate,
        port: UInt16 = 0,
        configure: (inout ServerConfiguration) -> Void = { _ in }
    ) throws(SimulatorError) {
        var configuration = ServerConfiguration(
            certificate: .text(certificate.certificate),
            key: .text(certificate.key),
            port: port
        )
        configuration.maxConcurrentStreams = script.settings.firstStreams
        configure(&configuration)
        handler = try SimulatorHandler(script: script)
        do throws(ServerError) {
            server = try Server(configuration: configuration, handler: handler)
        } catch {
            throw SimulatorError(code: .server, context: error.description)
        }
        self.port = server.port
    }

    /// Starts serving. A second call does nothing.
    public func start() throws(SimulatorError) {
        do throws(ServerError) {
            try server.start()
        } catch {
            throw SimulatorError(code: .server, context: error.description)
        }
    }

    /// Refuses new TCP connections until `acceptConnections`. Open connections stay. Not to be called from a script.
    public func refuseConnections() {
        server.refuseConnections()
    }

    /// Accepts TCP connections again.
    public func acceptConnections() throws(SimulatorError) {
        do throws(ServerError) {
            try server.acceptConnections()
        } catch {
            throw SimulatorError(code: .server, context: error.description)
        }
    }

    /// Closes everything and waits until the thread has ended. Not to be called from a script.
    public func stop() {
        server.stop()
    }

    /// Changes the behaviour from the next request on. The first SETTINGS frame of a connection and the log stay as
    /// they were.
    public func setScript(_ script: SimulatorScript) throws(SimulatorError) {
        try handler.setScript(script)
    }

    /// Answers all held pushes (`ScriptedAnswer.held`), oldest first.
    public func release() {
        handler.release()
    }

    /// Performs an action on every open connection, now.
    public func perform(_ action: ConnectionAction) {
        for connection in handler.openConnections() { handler.perform(action, connection) }
    }

    /// The numbers of the open connections, ascending.
    public var openConnections: [Int] { handler.openConnections().map(\.id) }

    /// Performs an action on one connection, if it is still open.
    public func perform(_ action: ConnectionAction, onConnection number: Int) {
        guard let connection = handler.openConnections().first(where: { $0.id == number }) else { return }
        handler.perform(action, connection)
    }

    /// What it has counted since its start.
    public var counts: SimulatorCounts { handler.log.counts() }

    /// What the HTTP/2 server counted.
    public var serverCounters: ServerCounters { server.counters }

    /// How many different provider tokens it has seen since the script was set, good or bad.
    public var providerTokens: Int { handler.providerTokens }

    /// Everything that it has recorded so far.
    public func snapshot() -> SimulatorSnapshot { handler.log.snapshot() }

    /// Waits until that many pushes were accepted since the start. False if `limit` passes first.
    public func waitUntil(accepted count: Int, within limit: Duration = .seconds(300)) async -> Bool {
        await handler.log.wait(within: limit) { $0.accepted >= count }
    }

    /// Waits until the closure returns true. False if `limit` passes first. The closure runs at every change and must
    /// be quick.
    public func wait(
        within limit: Duration = .seconds(300),
        until isMet: @escaping @Sendable (SimulatorCounts) -> Bool
    ) async -> Bool {
        await handler.log.wait(within: limit, until: isMet)
    }
}
