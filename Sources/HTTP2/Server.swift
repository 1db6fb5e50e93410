/// An HTTP/2 server on a loopback address: one thread, many connections, behaviour handed in as a `ServerHandler`.
public final class Server: Sendable {
    /// The port that it listens on.
    public let port: UInt16
    /// What it has seen so far; brought up to date after every wake-up, before the answers are written.
    public var counters: ServerCounters { ServerCounters() }

    /// Listens; accepts from `start` on (clients may connect before, and wait).
    public init(configuration: ServerConfiguration, handler: any ServerHandler) throws(HTTP2Error) {
        port = configuration.port
    }

    deinit { stop() }

    /// Begins to serve, once.
    public func start() throws(HTTP2Error) {}

    /// Closes everything and waits for the thread's end; not to be called from the handler.
    public func stop() {}
}
