import Glibc
import Base

/// One HTTP/2 connection as a client, with its own thread.
///
/// Requests beyond the free streams wait in it. A caller that wants no queue limits itself with `ClientEvent.opened`
/// and `.capacity`.
package final class ClientConnection: Sendable {
    private let loop: ClientLoop

    /// A connection that is not started yet.
    ///
    /// - Parameters:
    ///   - resolver: Returns the numeric addresses of a host. It is called for every dial on its own thread, where it
    ///     may block. Nil: the system's resolver.
    ///   - onEvent: Called on the connection's thread. It must return soon, and may call `submit`, `drain` and `close`.
    package init(
        configuration: ClientConfiguration,
        resolver: NameLookup.Resolver? = nil,
        onEvent: @escaping @Sendable (ClientEvent) -> Void
    ) {
        loop = ClientLoop(configuration: configuration, resolver: resolver, onEvent: onEvent)
    }

    deinit { close() }

    /// Starts to dial. A second call does nothing. Requests may be submitted before. If the system has no thread left,
    /// `closed` comes on the caller's thread.
    package func start() {
        guard loop.inbox.begin() else { return }
        if let thread = DedicatedThread.start(named: loop.configuration.label, { [loop] in loop.run() }) {
            pthread_detach(thread)
        } else {
            loop.refuse()
        }
    }

    /// Submits some requests of a batch. Each one completes exactly once, with `firstTag` and its slot as its tag.
    ///
    /// - Parameter slots: Nil: all.
    /// - Returns: False if the connection has closed or is closing. Then no request was accepted, and no completion
    ///   will come.
    @discardableResult
    package func submit(
        _ batch: RequestBatch,
        _ slots: Range<Int>? = nil,
        _ template: RequestTemplate,
        firstTag: UInt64
    ) -> Bool {
        loop.inbox.put(Submission(batch, template, firstTag: firstTag), slots ?? 0..<batch.count)
    }

    /// Accepts nothing new, waits for what is in flight, then closes. Queued requests complete as `.unsent(.closed)`.
    package func drain() { loop.inbox.order { $0.drains = true } }

    /// Closes at once. Requests that aren't completely written are unsent, the others without an answer unknown. Does
    /// not start a connection that was never started.
    package func close() { loop.inbox.order { $0.closes = true } }
}

/// What a client connection's thread does: it dials and then serves the connection until it ends.
private final class ClientLoop: Sendable {
    let configuration: ClientConfiguration
    let inbox = ClientInbox()
    private let resolver: NameLookup.Resolver?
    private let onEvent: @Sendable (ClientEvent) -> Void

    init(
        configuration: ClientConfiguration,
        resolver: NameLookup.Resolver?,
        onEvent: @escaping @Sendable (ClientEvent) -> Void
    ) {
        self.configuration = configuration
        self.resolver = resolver
        self.onEvent = onEvent
    }

    /// Returns when the connection has ended and all events are delivered.
    func run() {
        guard inbox.wake.descriptor >= 0, let session = ClientSession(configuration: configuration) else {
            return end(nil, CloseReason(.connect, "no descriptor or memory left for a connection"))
        }
        let deadline = UInt64(MonotonicTime.milliseconds()) + UInt64(configuration.connectTimeout)
        let dialer = ClientDialer(configuration: configuration, resolver: resolver, inbox: inbox, deadline: deadline)
        switch dialer.dial() {
        case .failure(let reason): end(session, reason)
        case .success(let (descriptor, tls)):
            let wire = ClientWire(session, tls, descriptor, inbox, onEvent: onEvent, deadline: deadline)
            let reason = wire.serve()
            Glibc.close(descriptor)
            end(session, reason)
        }
    }

    /// Ends a connection for which the system has no thread.
    func refuse() { end(nil, CloseReason(.connect, "no thread left for a connection")) }

    /// Completes what is left and delivers `closed`.
    private func end(_ session: ClientSession?, _ reason: CloseReason) {
        let byUs = reason.code == .closed || reason.code == .drained
        let rest = inbox.finish().requests
        var completions: [Completion] = []
        if let session {
            for (submission, slots) in rest { session.queue.append(submission, slots) }
            session.abandon(byUs: byUs)
            completions = session.completions
            session.events.forEach(onEvent)
        } else {
            for tag in rest.flatMap({ run in run.slots.map(run.submission.tag) }) {
                completions.append(Completion(tag: tag, result: .unsent(.connectionLost)))
            }
        }
        if !completions.isEmpty { onEvent(.completions(completions)) }
        onEvent(.closed(reason))
    }
}
