import COpenSSL

/// A failure of TLS: a code for decisions, and a text for the operator. The text names hosts, files and OpenSSL's
/// reasons, never key material or payload.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// A certificate, key or trust source can't be read, or certificate and key don't match.
        case credentials
        /// The peer's certificate was refused: untrusted, out of its time, or for another host. No other address helps.
        case certificate
        /// The peer didn't agree on HTTP/2 (ALPN `h2`, RFC 9113 section 3.2).
        case noHTTP2
        /// The handshake failed for another reason, or the peer refused it.
        case handshake
        /// The connection broke below TLS. The value is errno, or 0 for an end of file without close_notify.
        case connection(errno: Int32)
        /// OpenSSL refused an operation that should not fail.
        case library
    }

    public let code: Code
    /// What was attempted, what happened and, if there is one, the remedy.
    public let description: String

    /// - Parameter description: It must not hold secrets.
    public init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}

extension TLSError {
    /// The error, with its remedy, for one of OpenSSL's X509_V_ERR codes.
    package init(verification code: Int32, host: String) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            let remedy = "renew it there; if it is valid, set this machine's clock"
            self.init(.certificate, "the certificate of \(host) has expired: \(remedy)")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self.init(.certificate, "the certificate of \(host) is not valid yet: set this machine's clock")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            let remedy = "check the configured host, or issue one for it"
            self.init(.certificate, "the host name does not match: the certificate is not for \(host); \(remedy)")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            let remedy = "install ca-certificates, or name the authority's certificate as the CA file"
            self.init(.certificate, "the certificate of \(host) is not trusted: \(remedy)")
        default:
            let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "reason \(code)"
            self.init(.certificate, "the certificate of \(host) was refused: \(reason)")
        }
    }
}

/// OpenSSL's errors of the current thread. Clear them before each operation, or an old one would be read as new.
package enum TLSErrorQueue {
    package static func clear() { ERR_clear_error() }

    /// OpenSSL's text for the newest error. Clears the queue.
    package static func text() -> String {
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return "no reason given" }
        if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
        return "error \(String(code, radix: 16))"
    }
}
