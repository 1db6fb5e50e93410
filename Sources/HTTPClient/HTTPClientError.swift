import CLibCurl
import Glibc

/// Why a call got no answer. Every status is an answer, even a redirect, which is not followed.
///
/// The description names hosts, files and libcurl's reasons. It never holds the rest of an address, a token, or the
/// text of a request or answer.
package struct HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
    package enum Code: Sendable, Equatable, CaseIterable {
        /// The address, the token or another part of the request can't be sent.
        case invalidRequest
        /// The file of certificates to trust can't be read.
        case trustFile
        /// The host's name has no address.
        case unresolved
        /// The connection was refused, or there is no route.
        case unreachable
        /// The server's certificate isn't signed by a trusted authority.
        case untrusted
        case expired
        case notYetValid
        /// The server's certificate is for another host.
        case hostMismatch
        /// The server's certificate was refused for another reason.
        case refusedCertificate
        /// No TLS connection of version 1.3, or of 1.2 with ECDHE and AEAD, was possible.
        case handshake
        /// The connection ended before the answer was complete.
        case brokenOff
        /// The answer isn't HTTP.
        case malformed
        /// The answer is larger than `HTTPClientSettings.maximumAnswer`.
        case tooLarge
        /// The deadline has passed: in the queue, during the transfer, or while the server was silent.
        case timedOut
        /// Too many calls wait. This one was never started.
        case queueFull
        case cancelled
        case closed
        /// The system has no thread or memory left.
        case resources
        /// libcurl can't be loaded, or failed for another reason.
        case library
    }

    package let code: Code
    /// What was attempted, what happened and, if there is one, the remedy.
    package let context: String
    /// libcurl's or the system's reason. Nil if the context says everything.
    package let cause: String?

    init(_ code: Code, _ context: String, cause: String? = nil) {
        self.code = code
        self.context = context
        self.cause = cause
    }

    static let closed = HTTPClientError(.closed, "the HTTP client was closed")

    package var description: String { cause.map { "\(context): \($0)" } ?? context }
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
            failure(.unresolved, "the name \(url.host) has no address: check its spelling and the name servers")
        case CURLE_COULDNT_CONNECT: failure(.unreachable, "can't connect to \(url)", cause: systemText)
        case CURLE_OPERATION_TIMEDOUT: Self.timedOut(url)
        case CURLE_PEER_FAILED_VERIFICATION: certificate
        case CURLE_SSL_CACERT_BADFILE:
            failure(.trustFile, "can't read certificates to trust from \(caFile ?? "the system's store")")
        case CURLE_SSL_CONNECT_ERROR:
            failure(
                .handshake,
                "no TLS with \(url): check that it is an https server that offers TLS 1.3, "
                    + "or TLS 1.2 with ECDHE and AES-GCM or ChaCha20-Poly1305",
                cause: text
            )
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY:
            failure(.malformed, "the answer of \(url) is not HTTP", cause: text)
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING, CURLE_SEND_ERROR, CURLE_RECV_ERROR:
            failure(.brokenOff, "the connection to \(url) ended before the answer was complete", cause: text)
        case CURLE_OUT_OF_MEMORY: failure(.resources, "no memory left for a call to \(url)")
        default: failure(.library, "the call to \(url) failed", cause: text)
        }
    }

    /// The call's deadline passed, in the queue or later.
    static func timedOut(_ url: HTTPURL) -> HTTPClientError {
        HTTPClientError(.timedOut, "\(url) did not answer in time")
    }

    /// The numbers are OpenSSL's X509_V_ERR codes.
    private var certificate: HTTPClientError {
        switch verification {
        // 62 and 64 are OpenSSL's codes for a wrong host or address. With 0 or 1 libcurl checked the name itself, in
        // some versions before it stored the chain's result.
        case 0, 1, 62, 64:
            failure(
                .hostMismatch,
                "the certificate of \(url) is not for \(url.host): check the host, or issue one for it"
            )
        case 9: failure(.notYetValid, "the certificate of \(url) is not valid yet: set this machine's clock")
        case 10:
            failure(
                .expired,
                "the certificate of \(url) has expired: renew it there; if it is valid, set this machine's clock"
            )
        case 2, 18, 19, 20, 21, 27:
            failure(
                .untrusted,
                "the certificate of \(url) is not trusted: install ca-certificates, or name the authority's certificate as the CA file"
            )
        default: failure(.refusedCertificate, "the certificate of \(url) was refused: OpenSSL's reason \(verification)")
        }
    }

    private var text: String { LibCurl.text(result) }
    private var systemText: String { errno == 0 ? text : String(cString: strerror(errno)) }

    private func failure(_ code: HTTPClientError.Code, _ context: String, cause: String? = nil) -> HTTPClientError {
        HTTPClientError(code, context, cause: cause)
    }
}
