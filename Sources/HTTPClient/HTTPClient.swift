import Glibc
import Base

/// HTTP calls with libcurl on its own thread: verified certificates, connections that are kept, limits for time and
/// size.
///
/// A kept connection may break while a request is written to it. libcurl then sends the request again on a new
/// connection. So a server may receive a request twice, and its effect must not depend on that.
public final class HTTPClient: Sendable {
    private let settings: HTTPClientSettings
    private let inbox: CallInbox

    /// Starts a client and its thread.
    ///
    /// - Throws: `.trustFile` if the CA file can't be read now, `.resources`, `.library`.
    public init(_ settings: HTTPClientSettings = HTTPClientSettings()) throws(HTTPClientError) {
        if let caFile = settings.caFile, access(caFile, R_OK) != 0 {
            let why = String(cString: strerror(errno))
            throw HTTPClientError(.trustFile, "can't read certificates to trust from \(caFile)", cause: why)
        }
        let multi = try MultiHandle(keeping: max(1, settings.concurrency))
        let inbox = CallInbox(waking: multi)
        self.settings = settings
        self.inbox = inbox
        guard let thread = DedicatedThread.start(named: "http-client", { CallLoop(settings, multi, inbox).run() })
        else { throw HTTPClientError(.resources, "no thread left for an HTTP client") }
        pthread_detach(thread)
    }

    deinit { inbox.close() }

    /// Sends a request and waits for the complete answer.
    ///
    /// - Parameter deadline: The time for the whole call. Nil: the settings' `deadline`.
    /// - Throws: Any `HTTPClientError.Code` that a call can cause. `.cancelled` as soon as the task is cancelled.
    public func send(
        _ request: HTTPRequest,
        within deadline: Duration? = nil
    ) async throws(HTTPClientError) -> HTTPResponse {
        let id = inbox.newID()
        let end = ContinuousClock.now + (deadline ?? settings.deadline)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Call.Answer, Never>) in
                let call = Call(id: id, request: request, deadline: end, continuation: continuation)
                guard inbox.put(call) else { return continuation.resume(returning: .failure(.closed)) }
                // If the task was cancelled before this, the cancellation handler found no call.
                if Task.isCancelled { inbox.cancel(id) }
            }
        } onCancel: {
            inbox.cancel(id)
        }
        return try answer.get()
    }

    /// Ends every call and closes every connection. Returns when that is done. May be called more than once.
    public func close() async {
        inbox.close()
        await inbox.end()
    }
}
