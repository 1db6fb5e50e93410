/// Handles a server's connections and requests. The methods run on the server's thread and must return soon.
package protocol ServerHandler: AnyObject, Sendable {
    func connectionOpened(_ connection: ServerConnection)
    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply
    func connectionClosed(_ connection: ServerConnection)
}

extension ServerHandler {
    package func connectionOpened(_ connection: ServerConnection) {}
    package func connectionClosed(_ connection: ServerConnection) {}
}

package struct ServerRequest: Sendable {
    /// Its stream id, which is odd (RFC 9113 section 5.1.1).
    package let streamID: Int32
    package let headers: HeaderFields
    package let body: [UInt8]

    package var method: String { headers[":method"] ?? "" }
    package var path: String { headers[":path"] ?? "" }
}

package indirect enum ServerReply: Sendable {
    case respond(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], after: Duration? = nil)
    /// Answers but never ends the stream: HEADERS and DATA without END_STREAM.
    case unfinished(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], after: Duration? = nil)
    case informational(status: Int, then: ServerReply)
    /// Resets the stream with this code (RFC 9113 section 7; 7 is REFUSED_STREAM).
    case reset(code: UInt32, after: Duration? = nil)
    /// Doesn't answer; `ServerConnection.reply` may do so later.
    case silence

    /// How long to wait before it is sent; nil for no wait.
    var delay: Duration? {
        switch self {
        case .respond(_, _, _, let after), .unfinished(_, _, _, let after), .reset(_, let after): after
        case .informational(_, let then): then.delay
        case .silence: nil
        }
    }
}

package struct ServerCounters: Sendable, Equatable {
    package var accepted = 0
    package var closed = 0
    /// Streams that a client began: HEADERS arrived, the whole request perhaps not.
    package var begun = 0
    package var resetsReceived = 0
    package var pingsReceived = 0
    package var pongsReceived = 0
}

/// The counters of the server's thread. Its sessions share them.
final class LiveCounters { var now = ServerCounters() }
