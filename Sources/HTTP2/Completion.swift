/// The end of one request. Every request that `ClientConnection.submit` accepted completes exactly once.
public struct Completion: Sendable, Equatable {
    /// The request's tag.
    public let tag: UInt64
    /// The result of the request.
    public let result: RequestResult

    /// A completion with these values.
    public init(tag: UInt64, result: RequestResult) {
        self.tag = tag
        self.result = result
    }
}
