import COpenSSL

/// Credentials and rules shared by many TLS connections: TLS 1.2 or newer, ALPN `h2`.
///
/// @unchecked Sendable: SSL_CTX is set up by init alone and afterwards only handed to SSL_new, which counts references atomically.
public final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer

    private init(handle: OpaquePointer) { self.handle = handle }

    deinit { SSL_CTX_free(handle) }

    /// For connections that verify the peer's chain and name and demand HTTP/2.
    ///
    /// - Throws: `.credentials` where the trust source can't be read.
    public static func client(trust: TLSTrust = .system) throws(TLSError) -> TLSContext {
        throw TLSError(.library, "not yet built")
    }

    /// For connections that are accepted with this certificate chain (leaf first) and key.
    ///
    /// - Throws: `.credentials` where they can't be read or don't belong together.
    public static func server(
        certificate: PEMSource,
        key: PEMSource,
        offersHTTP2: Bool = true
    ) throws(TLSError) -> TLSContext {
        throw TLSError(.library, "not yet built")
    }
}
