/// A certificate with its private key, as PEM text.
public struct IssuedCertificate: Sendable {
    /// The certificate.
    public let certificate: String
    /// Its private key (P-256, PKCS #8).
    public let key: String
}
