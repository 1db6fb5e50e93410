import COpenSSL

/// A certificate authority of our own, for tests, the simulator and the demo.
public final class SelfSignedAuthority: Sendable {
    /// The authority's certificate as PEM text: what a client must trust.
    public let certificate: String = ""

    /// A new P-256 key and a certificate for it, valid from a day ago for ten years.
    public init(name: String = "nudged test authority") throws(TLSError) {}

    /// A leaf for these names.
    ///
    /// - Parameters:
    ///   - names: DNS names and numeric addresses, for the subject alternative name.
    ///   - notBefore: start of its validity, in seconds from now.
    ///   - notAfter: end of its validity, in seconds from now; negative: expired.
    public func issue(
        for names: [String],
        notBefore: Int = -86_400,
        notAfter: Int = 30 * 86_400
    ) throws(TLSError) -> IssuedCertificate {
        throw TLSError(.library, "not yet built")
    }
}
