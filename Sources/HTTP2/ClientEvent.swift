/// What a client connection reports to its owner, on its thread, in order. `closed` comes exactly once and last.
package enum ClientEvent: Sendable {
    /// The number of streams that may be open: the server's MAX_CONCURRENT_STREAMS, at most `maximumStreams`. May be 0.
    /// The first one means that the server's first SETTINGS frame has arrived: requests are written from now on.
    case capacity(Int)
    /// The requests that ended since the last wake-up, in the order in which they ended.
    case completions([Completion])
    /// The server sent GOAWAY. Requests above its last stream id and queued ones complete as unsent. Those below are
    /// awaited, and nothing new is started. `debug` is the frame's debug data as text, at most 1,024 bytes of it.
    case goaway(code: UInt32, debug: String)
    /// The connection has ended. Every accepted request has completed.
    case closed(CloseReason)
}

package struct CloseReason: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable {
        /// `close()` was called.
        case closed
        /// The server sent GOAWAY with this code, and then the connection ended.
        case goaway(code: UInt32)
        /// The host name has no address, or can't be resolved now.
        case resolve
        /// No address accepted a TCP connection in time.
        case connect
        /// The server's certificate was refused (untrusted, expired, wrong host name). No byte of a request was sent.
        case certificate
        /// The server doesn't support HTTP/2 over TLS (no ALPN `h2`). No byte of a request was sent.
        case noHTTP2
        /// The handshake failed or took too long, or the trust store can't be read. No byte of a request was sent.
        case handshake
        /// The server violated HTTP/2 (RFC 9113 section 5.4.1).
        case protocolError
        /// The server sent too many frames that answered no request.
        case flooded
        case pingTimeout
        /// The server closed or the network broke the connection.
        case lost
    }

    package let code: Code
    /// A text for the log, with the remedy if there is one. Holds no secrets and no payload.
    package let description: String

    init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}

/// The end of one request. Every request that `ClientConnection.submit` accepted completes exactly once.
package struct Completion: Sendable, Equatable {
    package let tag: UInt64
    package let result: RequestResult

    package init(tag: UInt64, result: RequestResult) { (self.tag, self.result) = (tag, result) }
}

package enum RequestResult: Sendable, Equatable {
    case response(Response)
    /// Never completely written, or not processed according to the server. It can be sent again without a duplicate.
    case unsent(UnsentReason)
    /// Completely written, or possibly so, without an answer.
    case unknown(UnknownReason)
}

/// Why a request counts as unsent: the server can't have received all of it, or said that it didn't process it.
package enum UnsentReason: Sendable, Equatable {
    /// Its `writeBy` passed before it was written.
    case tooLate
    /// The server refused the stream (REFUSED_STREAM, RFC 9113 section 8.7).
    case refused
    /// The server sent GOAWAY: the stream was above its last stream id, or not open yet.
    case goaway
    /// The stream was reset with this code before the request was completely written.
    case reset(code: UInt32)
    /// The deadline passed before the request was completely written (flow control, a full socket).
    case deadline
    /// The connection was never opened, or was lost, before the request was completely written.
    case connectionLost
    /// `close()` came before the request was completely written.
    case closed
    /// The request isn't valid HTTP/2, or its path and varying fields are over 8 KiB.
    case malformed
}

/// Why the outcome of a request is unknown. The request was completely written, or may have been.
package enum UnknownReason: Sendable, Equatable {
    /// No answer came before the deadline. The stream was reset.
    case deadline
    /// The server reset the stream with this code (RFC 9113 section 7).
    case reset(code: UInt32)
    case connectionLost
    /// `close()` was called before the answer came.
    case closed
}

package struct Response: Sendable, Equatable {
    /// All but the status. Most answers have nothing else, so they need no allocation and no reference count.
    ///
    /// @unchecked Sendable: only the connection's thread changes it, before the response is delivered.
    final class Content: @unchecked Sendable {
        var headers: [String: String] = [:]
        var body: [UInt8] = []
        var isTruncated = false
        private var size = 0

        /// Keeps a field. Its first value counts.
        func add(field name: String, _ value: String) {
            size += name.utf8.count + value.utf8.count + 4
            if size <= 8_192, headers[name] == nil { headers[name] = value }
        }
    }

    /// The final status. Informational ones (1xx) are ignored.
    package let status: Int
    private let content: Content?

    init(status: Int, _ content: Content?) { (self.status, self.content) = (status, content) }

    /// The fields that `ClientConfiguration.keptFields` names, in lower case, as far as 8 KiB hold them.
    package var headers: [String: String] { content?.headers ?? [:] }

    /// At most `ClientConfiguration.maximumBody` bytes.
    package var body: [UInt8] { content?.body ?? [] }

    /// Whether the body is incomplete: too long, or the stream ended early (reset, deadline, lost connection).
    package var isTruncated: Bool { content?.isTruncated ?? false }

    package static func == (one: Response, other: Response) -> Bool {
        one.status == other.status && one.headers == other.headers && one.body == other.body
            && one.isTruncated == other.isTruncated
    }
}
