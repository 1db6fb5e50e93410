@testable import HTTP2

/// A client session without socket, TLS and thread, for the fuzzer. It works step by step in the order of
/// `ClientWire.serve`.
final class BareClient {
    private let session: ClientSession
    /// All completions so far, in order.
    private(set) var completions: [Completion] = []

    /// A connection that has written nothing yet; nil if there is no memory.
    init?(configuration: ClientConfiguration) {
        guard let session = ClientSession(configuration: configuration) else { return nil }
        self.session = session
    }

    /// Submits all requests of a batch, like `ClientConnection.submit`.
    func submit(_ batch: RequestBatch, _ template: RequestTemplate, firstTag: UInt64) {
        session.queue.append(Submission(batch, template, firstTag: firstTag), 0..<batch.count)
    }

    /// Sends a PING, as after a silence.
    func ping() {
        if !session.awaitsPong { session.ping() }
    }

    /// One round of the loop: reads bytes, handles timeouts, then writes.
    ///
    /// - Parameters:
    ///   - bytes: the bytes that TLS read.
    ///   - now: milliseconds, never less than before.
    ///   - room: how many writes the socket accepts.
    ///   - write: called with the bytes of each write.
    /// - Returns: false when the connection has ended. Then call `end`.
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

    /// The connection is closed. Every request completes.
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
