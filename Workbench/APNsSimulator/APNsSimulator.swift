public import HTTP2Server
public import OpenSSL

/// A stand-in for Apple's push service: TLS, HTTP/2, the checks that Apple makes, and scripted behaviour beyond them.
///
/// It listens on a loopback address, on a thread of its own. Everything that it did can be asked of it.
public final class APNsSimulator: Sendable {
    private let server: Server
    private let handler: SimulatorHandler

    /// The TCP port.
    public let port: UInt16

    /// What `apns.endpoint` is to say; the certificate must name `localhost`.
    public var endpoint: String { "https://localhost:\(port)" }

    /// Listens; answers from `start` on.
    ///
    /// - Parameters:
    ///   - script: its behaviour.
    ///   - certificate: of the server; see `SimulatorCertificate`.
    ///   - port: 0 for a free one.
    ///   - configure: changes what isn't scripted: addresses, windows, pings, ALPN, handshakes.
    /// - Throws: a key that is none, a port that is taken, a log file that can't be opened.
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

    /// Begins to serve, once.
    public func start() throws(SimulatorError) {
        do throws(ServerError) {
            try server.start()
        } catch {
            throw SimulatorError(code: .server, context: error.description)
        }
    }

    /// Refuses TCP connections until `acceptConnections`; those that stand stay. Not to be called from a script.
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

    /// Closes everything and waits for the thread's end. Not to be called from a script.
    public func stop() {
        server.stop()
    }

    /// Changes the behaviour from the next request on. (What is said at a connection's opening, and the log, stay as they were.)
    public func setScript(_ script: SimulatorScript) throws(SimulatorError) {
        try handler.setScript(script)
    }

    /// Answers everything that `ScriptedAnswer.held` keeps, in the order of its arrival.
    public func release() {
        handler.release()
    }

    /// Does something to every open connection now, whether or not anything is asked on it.
    public func perform(_ action: ConnectionAction) {
        for connection in handler.openConnections() { handler.perform(action, connection) }
    }

    /// The numbers of the open connections, ascending.
    public var openConnections: [Int] { handler.openConnections().map(\.id) }

    /// Does something to one connection, if it is still open.
    public func perform(_ action: ConnectionAction, onConnection number: Int) {
        guard let connection = handler.openConnections().first(where: { $0.id == number }) else { return }
        handler.perform(action, connection)
    }

    /// The numbers.
    public var counts: SimulatorCounts { handler.log.counts() }

    /// What the HTTP/2 server counted.
    public var serverCounters: ServerCounters { server.counters }

    /// How many different provider tokens were shown, good or bad, since the script was set.
    public var providerTokens: Int { handler.providerTokens }

    /// All that was kept so far.
    public func snapshot() -> SimulatorSnapshot { handler.log.snapshot() }

    /// Waits until so many pushes were accepted since the start; false where that didn't happen within `limit`.
    public func waitUntil(accepted count: Int, within limit: Duration = .seconds(30)) async -> Bool {
        await handler.log.wait(within: limit) { $0.accepted >= count }
    }

    /// Waits until the numbers are so; false where that didn't happen within `limit`. The closure runs at every change, and must be quick.
    public func wait(
        within limit: Duration = .seconds(30),
        until isMet: @escaping @Sendable (SimulatorCounts) -> Bool
    ) async -> Bool {
        await handler.log.wait(within: limit, until: isMet)
    }
}
