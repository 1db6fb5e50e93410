import Glibc
import Locks

/// HTTP calls by libcurl on a thread of its own: https with verified certificates, connections that are kept, bounded in every way.
///
/// A kept connection may turn out dead just as a request is written to it; libcurl then sends the request once more on a new one. So a server
/// may see one twice: what is asked must bear that.
public final class HTTPClient: Sendable {
    private let settings: HTTPClientSettings
    private let inbox: ClientInbox

    /// A client and its thread.
    ///
    /// - Throws: `.trustFile` where the CA file can't be read now, `.resources`.
    public init(_ settings: HTTPClientSettings = HTTPClientSettings()) throws(HTTPClientError) {
        if let caFile = settings.caFile, access(caFile, R_OK) != 0 {
            let why = String(cString: strerror(errno))
            throw HTTPClientError(.trustFile, "can't read certificates to trust from \(caFile)", cause: why)
        }
        let multi = try MultiHandle(keeping: max(1, settings.concurrency))
        let inbox = ClientInbox(waking: multi)
        self.settings = settings
        self.inbox = inbox
        guard let thread = DedicatedThread.start(named: "http-client", { ClientLoop(settings, multi, inbox).run() })
        else { throw HTTPClientError(.resources, "no thread left for an HTTP client") }
        pthread_detach(thread)
    }

    deinit { inbox.close() }

    /// Sends a request and waits for the whole answer.
    ///
    /// - Parameter deadline: for all of it, in place of the settings'.
    /// - Throws: any `HTTPClientError.Code` but those of `init`; `.cancelled` as soon as the task is.
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
                // A cancellation before this found no call to end.
                if Task.isCancelled { inbox.cancel(id) }
            }
        } onCancel: {
            inbox.cancel(id)
        }
        return try answer.get()
    }

    /// Ends every call, closes every connection, and returns once that is done. Idempotent.
    public func close() async {
        inbox.close()
        await inbox.end()
    }
}
