/// The end of one request. Every request that `ClientConnection.submit` accepted completes exactly once.
package struct Completion: Sendable, Equatable {
    package let tag: UInt64
    package let result: RequestResult

    package init(tag: UInt64, result: RequestResult) {
        self.tag = tag
        self.result = result
    }
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
    /// `drain()` or `close()` came before the request was completely written.
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

/// A server's answer.
package struct Response: Sendable, Equatable {
    /// Everything except the status. Most answers have only a status, so they need no allocation and no reference
    /// count.
    private final class Rest: Sendable {
        let headers: HeaderFields
        let body: [UInt8]
        let isTruncated: Bool

        init(headers: HeaderFields, body: [UInt8], isTruncated: Bool) {
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
        }
    }

    /// The final status. Informational ones (1xx) are ignored.
    package let status: Int
    private let rest: Rest?

    package init(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], isTruncated: Bool = false) {
        self.status = status
        let isBare = headers.count == 0 && body.isEmpty && !isTruncated
        rest = isBare ? nil : Rest(headers: headers, body: body, isTruncated: isTruncated)
    }

    /// The fields that `ClientConfiguration.keptFields` names, without `:status`. At most 8 KiB; further fields are
    /// left out.
    package var headers: HeaderFields { rest?.headers ?? HeaderFields() }

    /// At most `ClientConfiguration.maximumBody` bytes.
    package var body: [UInt8] { rest?.body ?? [] }

    /// Whether the body is incomplete: it was too long, or the stream ended (reset, deadline, lost connection) too
    /// early.
    package var isTruncated: Bool { rest?.isTruncated ?? false }

    package static func == (one: Response, other: Response) -> Bool {
        one.status == other.status && one.headers == other.headers && one.body == other.body
            && one.isTruncated == other.isTruncated
    }
}
