/// What went wrong on the TLS side: a code to decide on, and words for the operator.
///
/// The description names hosts, files and OpenSSL's reasons, never key material or payload.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a caller may want to treat differently.
    public enum Code: Sendable, Equatable {
        /// A certificate, key or trust file or text can't be read or doesn't belong together.
        case credentials
        /// The peer's certificate leads to no authority that we trust.
        case untrusted
        /// The peer's certificate has expired.
        case expired
        /// The peer's certificate isn't valid yet.
        case notYetValid
        /// The peer's certificate is for another host name or address.
        case hostMismatch
        /// The peer's certificate was refused for another reason.
        case refusedCertificate
        /// The peer didn't agree on HTTP/2 (ALPN `h2`, RFC 7540 section 3.3).
        case noHTTP2
        /// The handshake failed otherwise, or the peer refused it.
        case handshake
        /// The connection broke below TLS; the value is errno, 0 for an end of file without close_notify.
        case connection(errno: Int32)
        /// OpenSSL refused an operation that should not fail.
        case library
    }

    /// What kind of failure it is.
    public let code: Code
    /// What was attempted, what happened, and, where there is one, the mend.
    public let context: String

    /// A failure of kind `code`; `context` must be free of secrets.
    public init(_ code: Code, _ context: String) {
        self.code = code
        self.context = context
    }

    /// The words for the log.
    public var description: String { context }

    /// Whether the peer's certificate was the reason: dialling another address won't mend that.
    public var isAboutCertificate: Bool {
        switch code {
        case .untrusted, .expired, .notYetValid, .hostMismatch, .refusedCertificate: true
        default: false
        }
    }
}
