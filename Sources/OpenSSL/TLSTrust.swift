/// Whose signatures a client accepts.
public enum TLSTrust: Sendable, Equatable {
    /// The system's trust store (OpenSSL's default paths, and SSL_CERT_FILE and SSL_CERT_DIR).
    case system
    /// Only the certificates in this PEM source.
    case only(PEMSource)
}
