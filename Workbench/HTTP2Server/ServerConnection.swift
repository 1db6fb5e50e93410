/// A client's connection, seen from the server, with the levers to misbehave.
///
/// The methods can be called from any thread; what they ask is done on the server's thread, in order, after what the handler returned
/// for requests that were read before and ahead of the next write. On a connection that is no more they do nothing.
public final class ServerConnection: Sendable {
    /// Its number, from 1 in the order of arrival.
    public let id: Int
    private let inbox: ServerInbox

    init(id: Int, inbox: ServerInbox) {
        self.id = id
        self.inbox = inbox
    }

    /// Replies to a request that was left in silence.
    public func reply(_ reply: ServerReply, to streamID: Int32) {
        inbox.put(.reply(streamID, reply), for: id)
    }

    /// Sends a SETTINGS frame; streams over a lowered limit that arrive afterwards are refused (REFUSED_STREAM).
    public func sendSettings(maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil) {
        inbox.put(.settings(maxConcurrentStreams: maxConcurrentStreams, initialWindowSize: initialWindowSize), for: id)
    }

    /// Sends GOAWAY; streams above `lastStreamID` are forgotten. A later one can only lower it.
    public func goAway(lastStreamID: Int32, code: UInt32 = 0, debug: String = "") {
        inbox.put(.goAway(lastStreamID: lastStreamID, code: code, debug: debug), for: id)
    }

    /// The two GOAWAYs of RFC 9113 section 6.8: first with the highest stream id, then, once a PING came back, with the last one seen.
    public func shutdownGracefully(debug: String = "") {
        inbox.put(.shutdownGracefully(debug: debug), for: id)
    }

    /// Lets the client send so many bytes more over all its streams (WINDOW_UPDATE on stream 0).
    public func openWindow(by bytes: Int32) {
        inbox.put(.openWindow(bytes), for: id)
    }

    /// Closes the TCP connection (FIN) once all that waits is written, `writeRaw`'s bytes among it; no GOAWAY, no close_notify.
    public func closeOnceWritten() {
        inbox.put(.closeOnceWritten, for: id)
    }

    /// Closes the TCP connection (FIN), without GOAWAY or close_notify.
    public func closeRaw() {
        inbox.put(.closeRaw, for: id)
    }

    /// Resets the TCP connection (RST, by SO_LINGER 0).
    public func resetTCP() {
        inbox.put(.resetTCP, for: id)
    }

    /// Writes bytes of no matter what into the TLS stream, after all frames that are waiting.
    public func writeRaw(_ bytes: [UInt8]) {
        inbox.put(.writeRaw(bytes), for: id)
    }

    /// Reads nothing more from the socket until `resumeReading`.
    public func stopReading() {
        inbox.put(.reading(false), for: id)
    }

    /// Reads again.
    public func resumeReading() {
        inbox.put(.reading(true), for: id)
    }
}
