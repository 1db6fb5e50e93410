import CLibCurl
import Glibc
import OpenSSL

/// Why a call got no answer. Every status is an answer, even a redirect, which is not followed.
///
/// The description names hosts, files and libcurl's reasons. It never holds the rest of an address, a token, or the
/// text of a request or answer.
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
}

/// libcurl's result of a failed transfer, and the error that it becomes. A value, so that tests can check each case.
struct TransferFailure {
    let result: CURLcode
    let url: HTTPURL
    /// OpenSSL's result for the certificate (X509_V_OK is 0).
    let verification: Int
    /// The system's error number. 0 if there was none.
    let errno: Int32
    let caFile: String?

    /// libcurl's own error buffer is not used: it can quote what the server sent.
    var error: HTTPClientError {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            HTTPClientError(.unresolved, "the name \(url.host) has no address: check its spelling and the name servers")
        case CURLE_COULDNT_CONNECT: HTTPClientError(.unreachable, "can't connect to \(url): \(systemText)")
        case CURLE_OPERATION_TIMEDOUT: Self.timedOut(url)
        case CURLE_PEER_FAILED_VERIFICATION: certificate
        case CURLE_SSL_CACERT_BADFILE:
            HTTPClientError(.trustFile, "can't read certificates to trust from \(caFile ?? "the system's store")")
        case CURLE_SSL_CONNECT_ERROR:
            HTTPClientError(
                .handshake,
                "no TLS with \(url): check that it is an https server that offers TLS 1.3, "
                    + "or TLS 1.2 with ECDHE and AES-GCM or ChaCha20-Poly1305: \(text)"
            )
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            HTTPClientError(.malformed, "the answer of \(url) is not HTTP: \(text)")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            HTTPClientError(.brokenOff, "the connection to \(url) ended before the answer was complete: \(text)")
        case CURLE_OUT_OF_MEMORY: HTTPClientError(.resources, "no memory left for a call to \(url)")
        default: HTTPClientError(.library, "the call to \(url) failed: \(text)")
        }
    }

    static func timedOut(_ url: HTTPURL) -> HTTPClientError {
        HTTPClientError(.timedOut, "\(url) did not answer in time")
    }

    private var certificate: HTTPClientError {
        // With 0 or 1 libcurl checked the name itself, in some versions before it stored the chain's result. 62 is
        // X509_V_ERR_HOSTNAME_MISMATCH.
        let code = verification < 2 ? 62 : Int32(truncatingIfNeeded: verification)
        return HTTPClientError(.certificate, TLSError(verification: code, host: "\(url)").description)
    }

    private var text: String { LibCurl.text(result) }
    private var systemText: String { errno == 0 ? text : String(cString: strerror(errno)) }
}
