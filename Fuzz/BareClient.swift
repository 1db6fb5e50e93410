@testable import HTTP2

/// A client session without socket, TLS and thread, driven step by step in the order of `ClientWire.serve`: for the fuzzer.
final class BareClient {
    private let session: ClientSession
    /// Completions and events are kept here, in order.
    private(set) var completions: [Completion] = []

    /// A connection that has said nothing yet; nil where there is no memory.
    init?(configuration: ClientConfiguration) {
        guard let session = ClientSession(configuration: configuration) else { return nil }
        self.session = session
    }

    /// Takes requests, as `ClientConnection.submit` does.
    func submit(_ requests: [Request]) {
        session.queue.append(requests)
        if session.isDraining {
            session.returnQueue(.closed)
        } else if session.goaway != nil {
            session.returnQueue(.goaway)
        }
    }

    /// `ClientConnection.drain`.
    func drain() {
        session.isDraining = true
        session.returnQueue(.closed)
    }

    /// Asks for a sign of life, as after a silence.
    func ping() {
        if !session.awaitsPong { session.ping() }
    }

    /// One wake-up of the loop: bytes that came, then what time brings, then writing.
    ///
    /// - Parameters:
    ///   - bytes: what TLS gave.
    ///   - now: milliseconds, never less than before.
    ///   - room: how many times the socket takes what it is offered.
    ///   - write: gets the bytes that were offered to the socket.
    /// - Returns: false once the connection has come to its end: call `end`.
    func step(_ bytes: UnsafeRawBufferPointer, now: UInt64, room: Int, write: (UnsafeRawBufferPointer) -> Void)
        -> Bool
    {
        session.boottime = now
        if bytes.count > 0 { session.receive(bytes) }
        session.expire(now: now)
        var room = room
        while room > 0 {
            session.fill(now: now)
            if session.output.isEmpty { break }
            let offer = session.output.offer()
            write(offer)
            session.output.accept(offer.count)
            room -= 1
        }
        collect()
        return !session.isSpent
    }

    /// The connection is no more: everything completes.
    func end(byUs: Bool) {
        session.abandon(byUs: byUs)
        collect()
    }

    private func collect() {
        session.events = []
        completions += session.completions
        session.completions = []
    }
}
