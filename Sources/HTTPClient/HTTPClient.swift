import Glibc
import Base

package struct HTTPClientSettings: Sendable, Equatable {
    /// A PEM file whose certificates are trusted instead of the system's. Nil: the system's.
    package var caFile: String?
    /// How many calls run at a time, at least 1. As many connections are kept.
    package var concurrency = 8
    /// How many more calls may wait. Further calls are refused.
    package var queueLength = 64
    /// The time for a whole call, from `send` to its answer, with its wait in the queue.
    package var deadline = Duration.seconds(2)
    /// The most bytes of an answer, fields and body together.
    package var maximumAnswer = 65_536

    package init() {}
}

/// HTTP calls with libcurl on its own thread: certificates are verified, connections kept, time and size limited.
///
/// A kept connection may break while a request is written to it. libcurl then sends the request again on a new
/// connection. So a server may receive a request twice, and its effect must not depend on that.
package final class HTTPClient: Sendable {
    private let loop: CallLoop

    /// Starts a client and its thread.
    /// - Throws: `.trustFile` if the CA file can't be read now, `.resources`, `.library`.
    package init(_ settings: HTTPClientSettings = HTTPClientSettings()) throws(HTTPClientError) {
        if let caFile = settings.caFile, access(caFile, R_OK) != 0 {
            let why = String(cString: strerror(errno))
            throw HTTPClientError(.trustFile, "can't read certificates to trust from \(caFile): \(why)")
        }
        loop = try CallLoop(settings)
        guard let thread = DedicatedThread.start(named: "http-client", { [loop] in loop.run() })
        else { throw HTTPClientError(.resources, "no thread left for an HTTP client") }
        pthread_detach(thread)
    }

    deinit { loop.close() }

    /// Sends a request and waits for the complete answer. `deadline`: for the whole call. Nil: the settings'.
    /// - Throws: Any `HTTPClientError.Code` that a call can cause. `.cancelled` as soon as the task is cancelled.
    package func send(
        _ request: HTTPRequest,
        within deadline: Duration? = nil
    ) async throws(HTTPClientError) -> HTTPResponse {
        let id = loop.newID()
        let end = ContinuousClock.now + (deadline ?? loop.settings.deadline)
        let answer = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Call.Answer, Never>) in
                loop.put(Call(id: id, request: request, deadline: end, continuation: continuation))
                // If the task was cancelled before this, the cancellation handler found no call.
                if Task.isCancelled { loop.cancel(id) }
            }
        } onCancel: {
            loop.cancel(id)
        }
        return try answer.get()
    }

    /// Ends every call and closes every connection. Returns when that is done. May be called more than once.
    package func close() async {
        loop.close()
        await loop.ended()
    }
}
