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
