import Glibc
import Base

/// One HTTP/2 connection as a client, with its own thread.
///
/// Requests beyond the free streams wait in it. A caller that wants no queue limits itself with `ClientEvent.opened`
/// and `.capacity`.
public final class ClientConnection: Sendable {
    private let inbox: ClientInbox
    private let configuration: ClientConfiguration
    private let onEvent: @Sendable (ClientEvent) -> Void

    /// A connection that is not started yet.
    ///
    /// - Parameter onEvent: Called on the connection's thread. It must return soon, and may call `submit`, `drain` and
    ///   `close`.
    public init(configuration: ClientConfiguration, onEvent: @escaping @Sendable (ClientEvent) -> Void) {
        self.configuration = configuration
        self.onEvent = onEvent
        inbox = ClientInbox()
    }

    deinit { close() }

    /// Starts to dial. A second call does nothing. Requests may be submitted before. If the system has no thread left,
    /// `closed` comes on the caller's thread.
    public func start() {
        guard inbox.begin() else { return }
        let loop = ClientLoop(configuration: configuration, inbox: inbox, onEvent: onEvent)
        if let thread = DedicatedThread.start(named: configuration.label, { loop.run() }) {
            pthread_detach(thread)
        } else {
            loop.refuse()
        }
    }

    /// Submits requests. Each one completes exactly once.
    ///
    /// - Returns: False if the connection has closed or is closing. Then no request was accepted, and no completion
    ///   will come.
    @discardableResult
    public func submit(_ requests: [Request]) -> Bool {
        inbox.put(RequestBatch(requests))
    }

    /// Submits a batch. Each of its requests completes exactly once.
    ///
    /// - Returns: As for `submit` of requests.
    @discardableResult
    public func submit(_ batch: RequestBatch) -> Bool {
        inbox.put(batch)
    }

    /// Accepts nothing new, waits for what is in flight, then closes. Queued requests complete as `.unsent(.closed)`.
    public func drain() {
        inbox.put(.drain)
    }

    /// Closes at once. Requests that aren't completely written are unsent, the others without an answer unknown. Does
    /// not start a connection that was never started.
    public func close() {
        inbox.put(.close)
    }
}
