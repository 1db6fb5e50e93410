/// Which certificates a client trusts.
public enum TLSTrust: Sendable, Equatable {
    /// The system's trust store (OpenSSL's default paths, and SSL_CERT_FILE and SSL_CERT_DIR).
    case system
    case only(PEMSource)
}
