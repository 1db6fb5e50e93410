/// A request and the task that waits for its answer.
struct Call: Sendable {
    typealias Answer = Result<HTTPResponse, HTTPClientError>

    let id: UInt64
    let request: HTTPRequest
    let deadline: ContinuousClock.Instant
    /// Resumed once: by the client's thread, or by `send` if that thread has ended.
    let continuation: CheckedContinuation<Answer, Never>
}
