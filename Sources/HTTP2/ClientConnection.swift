import Glibc
import Locks

/// One HTTP/2 connection as a client: a thread of its own, reached by messages.
///
/// Requests over the free streams wait in it; a caller that wants no queue bounds itself by `ClientEvent.opened` and `.capacity`.
public final class ClientConnection: Sendable {
    private let inbox: ClientInbox
    private let configuration: ClientConfiguration
    private let onEvent: @Sendable (ClientEvent) -> Void

    /// A connection that is not yet begun.
    ///
    /// - Parameter onEvent: called on the connection's thread; it must return soon, and may call `submit`, `drain` and `close`.
    public init(configuration: ClientConfiguration, onEvent: @escaping @Sendable (ClientEvent) -> Void) {
        self.configuration = configuration
        self.onEvent = onEvent
        inbox = ClientInbox()
    }

    deinit { close() }

    /// Begins to dial, once; requests may be submitted before. Where the system has no thread left, `closed` comes on this one.
    public func start() {
        guard inbox.begin() else { return }
        let loop = ClientLoop(configuration: configuration, inbox: inbox, onEvent: onEvent)
        if let thread = DedicatedThread.start(named: configuration.label, { loop.run() }) {
            pthread_detach(thread)
        } else {
            loop.refuse()
        }
    }

    /// Takes requests; each completes exactly once.
    ///
    /// - Returns: false where the connection has closed or is just closing: none was taken and no completion will come for them.
    @discardableResult
    public func submit(_ requests: [Request]) -> Bool {
        inbox.put(RequestBatch(requests))
    }

    /// Takes a batch; each of its requests completes exactly once.
    ///
    /// - Returns: as `submit` of requests.
    @discardableResult
    public func submit(_ batch: RequestBatch) -> Bool {
        inbox.put(batch)
    }

    /// Takes nothing new (what is queued completes as `.unsent(.closed)`), awaits what is in flight, then closes.
    public func drain() {
        inbox.put(.drain)
    }

    /// Closes at once: what isn't wholly written completes as unsent, the rest as unknown. Begins nothing where `start` was never called.
    public func close() {
        inbox.put(.close)
    }
}
