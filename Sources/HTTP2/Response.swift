/// A server's answer.
public struct Response: Sendable, Equatable {
    /// The final status; informational ones (1xx) are not shown.
    public let status: Int
    /// The fields of the answer, without `:status`; at most 8 KiB, what is over is left out.
    public let headers: HeaderFields
    /// The body, at most `ClientConfiguration.maximumBody` bytes.
    public let body: [UInt8]
    /// Whether the body goes on: it was over the limit, or the stream ended (reset, deadline, connection lost) before the answer did.
    public let isTruncated: Bool

    /// An answer.
    public init(status: Int, headers: HeaderFields = HeaderFields(), body: [UInt8] = [], isTruncated: Bool = false) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isTruncated = isTruncated
    }
}
