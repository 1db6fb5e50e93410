import Base
import Glibc
import OpenSSL

/// What a client connection's thread does: it dials and then serves the connection until it ends.
final class ClientLoop: Sendable {
    private let configuration: ClientConfiguration
    private let inbox: ClientInbox
    private let onEvent: @Sendable (ClientEvent) -> Void

    init(configuration: ClientConfiguration, inbox: ClientInbox, onEvent: @escaping @Sendable (ClientEvent) -> Void) {
        self.configuration = configuration
        self.inbox = inbox
        self.onEvent = onEvent
    }

    /// Returns when the connection has ended and all events are delivered.
    func run() {
        guard inbox.wake.descriptor >= 0, let session = ClientSession(configuration: configuration) else {
            return end(nil, CloseReason(.connect, "no descriptor or memory left for a connection"))
        }
        let deadline = UInt64(MonotonicTime.milliseconds()) + UInt64(configuration.connectTimeout)
        switch ClientDialer(configuration: configuration, inbox: inbox, deadline: deadline).dial() {
        case .failure(let reason): end(session, reason)
        case .success(let (descriptor, tls)):
            let wire = ClientWire(
                session: session,
                tls: tls,
                descriptor: descriptor,
                inbox: inbox,
                onEvent: onEvent,
                deadline: deadline
            )
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
            for requests in rest { session.queue.append(requests) }
            session.abandon(byUs: byUs)
            completions = session.completions
            session.events.forEach(onEvent)
        } else {
            for entry in rest.lazy.flatMap(\.entries) {
                completions.append(Completion(tag: entry.tag, result: .unsent(.connectionLost)))
            }
        }
        if !completions.isEmpty { onEvent(.completions(completions)) }
        onEvent(.closed(reason))
    }
}
