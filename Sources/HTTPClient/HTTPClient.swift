import Base
import CLibCurl
import Glibc
import OpenSSL

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

/// Why a call got no answer. Every status is an answer, even a redirect, which is not followed.
///
/// The description names hosts, files and libcurl's reasons, never the rest of an address, a token or a body's text.
package struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable, CaseIterable {
        /// The address, the token or another part of the request can't be sent.
        case invalidRequest
        case trustFile
        case unresolved
        case unreachable
        case certificate
        /// No TLS connection of version 1.3, or of 1.2 with ECDHE and AEAD, was possible.
        case handshake
        case brokenOff
        case malformed
        case tooLarge
        /// The deadline has passed: in the queue, during the transfer, or while the server was silent.
        case timedOut
        /// Too many calls wait. This one was never started.
        case queueFull
        case cancelled
        case closed
        case resources
        /// libcurl can't be loaded, or failed for another reason.
        case library
    }

    package let code: Code
    /// What was attempted, what happened, libcurl's or the system's reason and, if there is one, the remedy.
    package let description: String

    init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

    static let closed = HTTPClientError(.closed, "the HTTP client was closed")

    static func timedOut(_ url: HTTPURL) -> HTTPClientError { .init(.timedOut, "\(url) did not answer in time") }

    /// For libcurl's result of a failed transfer. libcurl's own error buffer is not used: it can quote what the server
    /// sent. `verification`: OpenSSL's result for the certificate (X509_V_OK is 0). `errno`: the system's, or 0.
    init(_ result: CURLcode, _ url: HTTPURL, verification: Int, errno: Int32, caFile: String?) {
        let text = LibCurl.text(result)
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.unresolved, "the name \(url.host) has no address: check its spelling and the name servers")
        case CURLE_COULDNT_CONNECT:
            self.init(.unreachable, "can't connect to \(url): \(errno == 0 ? text : String(cString: strerror(errno)))")
        case CURLE_OPERATION_TIMEDOUT: self = .timedOut(url)
        case CURLE_PEER_FAILED_VERIFICATION:
            // Below 2 libcurl checked the name itself, or stored no result yet. 62: X509_V_ERR_HOSTNAME_MISMATCH.
            let code = verification < 2 ? 62 : Int32(truncatingIfNeeded: verification)
            self.init(.certificate, TLSError(verification: code, host: "\(url)").description)
        case CURLE_SSL_CACERT_BADFILE:
            self.init(.trustFile, "can't read certificates to trust from \(caFile ?? "the system's store")")
        case CURLE_SSL_CONNECT_ERROR:
            let needs = "TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM or ChaCha20-Poly1305"
            self.init(.handshake, "no TLS with \(url): check that it is an https server that offers \(needs): \(text)")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            self.init(.malformed, "the answer of \(url) is not HTTP: \(text)")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            self.init(.brokenOff, "the connection to \(url) ended before the answer was complete: \(text)")
        case CURLE_OUT_OF_MEMORY: self.init(.resources, "no memory left for a call to \(url)")
        default: self.init(.library, "the call to \(url) failed: \(text)")
        }
    }
}

/// libcurl's functions, loaded when the first address is read. A daemon without HTTP calls then needs no memory for
/// libcurl and the libraries that it loads (Sources/CLibCurl/shim.h).
enum LibCurl {
    /// The ABI of libcurl since 2006 (https://curl.se/libcurl/abi.html).
    private static let name = "libcurl.so.4"

    /// Loaded once for the process. nonisolated(unsafe): a static is initialised once, and the table is only read.
    private nonisolated(unsafe) static let library: UnsafePointer<nudged_curl>? = {
        guard let library = nudged_curl_load(name), library.pointee.global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK
        else { return nil }
        return library
    }()

    static func loaded() throws(HTTPClientError) -> UnsafePointer<nudged_curl> {
        guard let library else {
            throw HTTPClientError(
                .library,
                "can't load \(name), which every call but those to Apple needs: install it (on Debian: apt install libcurl4)"
            )
        }
        return library
    }

    static func text(_ result: CURLcode) -> String {
        library.flatMap { $0.pointee.easy_strerror(result) }.map { String(cString: $0) }
            ?? "libcurl's result \(result.rawValue)"
    }
}
