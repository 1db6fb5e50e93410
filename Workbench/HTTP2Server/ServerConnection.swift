/// A client's connection on the server's side, with ways to misbehave.
///
/// Any thread may call the methods. They run in order on the server's thread: after the handler has answered the
/// requests that were already read, and before the next write. On a closed connection they do nothing.
public final class ServerConnection: Sendable {
    /// Its number, from 1 in order of arrival.
    public let id: Int
    private let inbox: ServerInbox

    init(id: Int, inbox: ServerInbox) {
        self.id = id
        self.inbox = inbox
    }

    /// Replies to a request that was answered with `silence`.
    public func reply(_ reply: ServerReply, to streamID: Int32) {
        inbox.put(.reply(streamID, reply), for: id)
    }

    /// Sends a SETTINGS frame. Later streams over a lowered limit are refused (REFUSED_STREAM).
    public func sendSettings(maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil) {
        inbox.put(.settings(maxConcurrentStreams: maxConcurrentStreams, initialWindowSize: initialWindowSize), for: id)
    }

    /// Sends GOAWAY. Streams above `lastStreamID` are not processed. A later GOAWAY can only lower it.
    public func goAway(lastStreamID: Int32, code: UInt32 = 0, debug: String = "") {
        inbox.put(.goAway(lastStreamID: lastStreamID, code: code, debug: debug), for: id)
    }

    /// The two GOAWAYs of RFC 9113 section 6.8. The first has the highest stream id. The second follows when a PING
    /// came back, with the last stream that was processed.
    /// back, with the last stream that was processed.
    public func shutdownGracefully(debug: String = "") {
        inbox.put(.shutdownGracefully(debug: debug), for: id)
    }

    /// Lets the client send this many more bytes over all its streams (WINDOW_UPDATE on stream 0).
    public func openWindow(by bytes: Int32) {
        inbox.put(.openWindow(bytes), for: id)
    }

    /// Closes the TCP connection (FIN) after everything is written, including `writeRaw`'s bytes. No GOAWAY, no
    /// close_notify.
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

    /// Writes any bytes into the TLS stream, after all frames that wait.
    public func writeRaw(_ bytes: [UInt8]) {
        inbox.put(.writeRaw(bytes), for: id)
    }

    /// Stops reading from the socket until `resumeReading`.
    public func stopReading() {
        inbox.put(.reading(false), for: id)
    }

    /// Reads again.
    public func resumeReading() {
        inbox.put(.reading(true), for: id)
    }
}
