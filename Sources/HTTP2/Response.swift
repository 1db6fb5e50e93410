/// A server's answer.
public struct Response: Sendable, Equatable {
    /// All but the status, which is all that most answers have: those cost no allocation and no reference count.
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

    /// The final status; informational ones (1xx) are not shown.
    public let status: Int
    private let rest: Rest?

    /// An answer.
    public init(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], isTruncated: Bool = false) {
        self.status = status
        let isBare = headers.count == 0 && body.isEmpty && !isTruncated
        rest = isBare ? nil : Rest(headers: headers, body: body, isTruncated: isTruncated)
    }

    /// The fields of the answer that `ClientConfiguration.keptFields` names, without `:status`; at most 8 KiB, what is over is left out.
    public var headers: HeaderFields { rest?.headers ?? HeaderFields() }

    /// The body, at most `ClientConfiguration.maximumBody` bytes.
    public var body: [UInt8] { rest?.body ?? [] }

    /// Whether the body goes on: it was over the limit, or the stream ended (reset, deadline, connection lost) before the answer did.
    public var isTruncated: Bool { rest?.isTruncated ?? false }
}
