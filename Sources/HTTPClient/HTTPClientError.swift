import CLibCurl
import Glibc
import OpenSSL

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
