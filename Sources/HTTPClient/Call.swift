/// A request on its way, and who waits for its answer.
struct Call: Sendable {
    typealias Answer = Result<HTTPResponse, HTTPClientError>

    let id: UInt64
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// Resumed once, by the client's thread or, where that has ended, by whoever came too late.
    let continuation: CheckedContinuation<Answer, Never>
}
