/// A server's answer.
public struct Response: Sendable, Equatable {
    /// Everything except the status. Most answers have only a status, so they need no allocation and no reference
    /// count.
    private final class Rest: Sendable, Equatable {
        let headers: HeaderFields
        let body: [UInt8]
        let isTruncated: Bool

        init(headers: HeaderFields, body: [UInt8], isTruncated: Bool) {
            self.headers = headers
            self.body = body
            self.isTruncated = isTruncated
        }

        static func == (one: Rest, other: Rest) -> Bool {
            one.headers == other.headers && one.body == other.body && one.isTruncated == other.isTruncated
        }
    }

    /// The final status. Informational ones (1xx) are ignored.
    public let status: Int
    private let rest: Rest?

    /// An answer with these values.
    public init(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], isTruncated: Bool = false) {
        self.status = status
        let isBare = headers.count == 0 && body.isEmpty && !isTruncated
        rest = isBare ? nil : Rest(headers: headers, body: body, isTruncated: isTruncated)
    }

    /// The fields that `ClientConfiguration.keptFields` names, without `:status`. At most 8 KiB; further fields are
    /// left out.
    public var headers: HeaderFields { rest?.headers ?? HeaderFields() }

    /// The body, at most `ClientConfiguration.maximumBody` bytes.
    public var body: [UInt8] { rest?.body ?? [] }

    /// Whether the body is incomplete: it was too long, or the stream ended (reset, deadline, lost connection) too
    /// early.
    public var isTruncated: Bool { rest?.isTruncated ?? false }
}
