import Glibc
import Base

/// How a client connection is made and kept. All times are milliseconds of CLOCK_MONOTONIC.
package struct ClientConfiguration: Sendable, Equatable {
    /// A host name or a numeric address: resolved for every dial, sent as SNI, and part of the certificate.
    package var host: String
    package var port: UInt16
    /// A PEM file whose certificates are trusted instead of the system's. Nil: the system's.
    package var caFile: String?
    /// The time for name resolution, TCP, TLS and the server's first SETTINGS frame together.
    package var connectTimeout: Int64 = 10_000
    /// The time from a request's start on a stream (not in the queue) to its complete answer.
    package var requestDeadline: Int64 = 10_000
    /// A PING is sent after this time without a received byte.
    package var pingInterval: Int64 = 60_000
    /// The connection closes if a PING has no answer after this time.
    package var pingTimeout: Int64 = 10_000
    /// The most open streams. The server's MAX_CONCURRENT_STREAMS may be lower.
    package var maximumStreams = 1_000
    /// How many bytes of a response body are kept. A longer body is cut and its stream reset.
    package var maximumBody = 65_536
    /// The names (lower case) of the answer's fields to keep. Each kept field costs memory.
    package var keptFields: [String] = []
    /// The name of the connection's thread. The system uses its first 15 bytes.
    package var label = "http2"

    package init(host: String, port: UInt16 = 443, caFile: String? = nil) {
        (self.host, self.port, self.caFile) = (host, port, caFile)
    }
}

/// One HTTP/2 connection as a client, with its own thread. Requests beyond the free streams (`ClientEvent.capacity`)
/// wait in it.
package final class ClientConnection: Sendable {
    private let loop: ClientLoop

    /// A connection that is not started yet. `resolver` returns a host's numeric addresses: it is called for every dial
    /// on a thread of its own, where it may block. Nil: the system's. `onEvent` is called on the connection's thread.
    /// It must return soon, and may call `submit` and `close`.
    package init(
        configuration: ClientConfiguration,
        resolver: NameLookup.Resolver? = nil,
        onEvent: @escaping @Sendable (ClientEvent) -> Void
    ) {
        loop = ClientLoop(configuration: configuration, resolver: resolver, onEvent: onEvent)
    }

    deinit { close() }

    /// Starts to dial, once. Requests may be submitted before. Without a free thread, `closed` comes on the caller's.
    package func start() {
        guard loop.inbox.begin() else { return }
        if let thread = DedicatedThread.start(named: loop.configuration.label, { [loop] in loop.run() }) {
            pthread_detach(thread)
        } else {
            loop.end(nil, CloseReason(.connect, "no thread left for a connection"))
        }
    }

    /// Submits some requests of a batch, or all (`slots` is nil). Each completes exactly once, with `firstTag` and its
    /// slot as its tag. Returns false if the connection has closed or is closing. Then none will complete.
    @discardableResult
    package func submit(
        _ batch: RequestBatch,
        _ slots: Range<Int>? = nil,
        _ template: RequestTemplate,
        firstTag: UInt64
    ) -> Bool {
        loop.inbox.put(Submission(batch, template, firstTag: firstTag), slots ?? 0..<batch.count)
    }

    /// Closes at once. Requests that aren't completely written are unsent, the others without an answer unknown. Does
    /// not start a connection that was never started.
    package func close() { loop.inbox.close() }
}
