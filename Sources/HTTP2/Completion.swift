/// The end of one request. Every request that `ClientConnection.submit` took completes exactly once.
public struct Completion: Sendable, Equatable {
    /// The request's tag.
    public let tag: UInt64
    /// What became of it.
    public let result: RequestResult

    /// The end of the request with this tag.
    public init(tag: UInt64, result: RequestResult) {
        self.tag = tag
        self.result = result
    }
}
