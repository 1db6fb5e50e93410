import COpenSSL

/// A failure of TLS: a code for decisions, and a text for the operator.
///
/// The description names hosts, files and OpenSSL's reasons. It never holds key material or payload.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller may treat differently.
    public enum Code: Sendable, Equatable {
        /// A certificate, key or trust source can't be read, or certificate and key don't match.
        case credentials
        /// The peer's certificate isn't signed by a trusted authority.
        case untrusted
        case expired
        case notYetValid
        /// The peer's certificate is for another host name or address.
        case hostMismatch
        /// The peer's certificate was refused for another reason.
        case refusedCertificate
        /// The peer didn't agree on HTTP/2 (ALPN `h2`, RFC 9113 section 3.2).
        case noHTTP2
        /// The handshake failed for another reason, or the peer refused it.
        case handshake
        /// The connection broke below TLS. The value is errno, or 0 for an end of file without close_notify.
        case connection(errno: Int32)
        /// OpenSSL refused an operation that should not fail.
        case library
    }

    /// The kind of failure.
    public let code: Code
    /// What was attempted, what happened and, if there is one, the remedy.
    public let context: String

    /// A failure with these values. `context` must not hold secrets.
    public init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    /// The text for the log.
    public var description: String { context }

    /// Whether the peer's certificate is the reason. Then dialling another address doesn't help.
    public var isAboutCertificate: Bool {
        switch code {
        case .untrusted, .expired, .notYetValid, .hostMismatch, .refusedCertificate: true
        default: false
        }
    }
}

extension TLSError {
    /// The error, with its remedy, for one of OpenSSL's X509_V_ERR codes.
    init(verification code: Int32, host: String) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            self.init(
                .expired,
                "the certificate of \(host) has expired: renew it there; if it is valid, set this machine's clock"
            )
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self.init(.notYetValid, "the certificate of \(host) is not valid yet: set this machine's clock")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            self.init(
                .hostMismatch,
                "the host name does not match: the certificate is not for \(host); check the configured host, or issue one for it"
            )
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            self.init(
                .untrusted,
                "the certificate of \(host) is not trusted: install ca-certificates, or name the authority's certificate as the CA file"
            )
        default:
            let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "reason \(code)"
            self.init(.refusedCertificate, "the certificate of \(host) was refused: \(reason)")
        }
    }
}
