import COpenSSL

/// What many TLS connections share: TLS 1.2 or newer (a client's 1.2 only with ECDHE and AEAD suites), ALPN `h2`.
///
/// @unchecked Sendable: only the factories change the SSL_CTX. SSL_new, its later user, counts references atomically.
public final class TLSContext: @unchecked Sendable {
    package let handle: OpaquePointer

    package init(method: OpaquePointer?) throws(TLSError) {
        TLSErrorQueue.clear()
        guard let handle = SSL_CTX_new(method) else {
            throw TLSError(.library, "can't make a TLS context: \(TLSErrorQueue.text())")
        }
        self.handle = handle
        // The SSL_CTX_set_… names for these are macros, which Swift doesn't import.
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // A partial write reports each record when it is accepted. The buffer may have moved at the next call.
        let modes = Int(SSL_MODE_ENABLE_PARTIAL_WRITE) | Int(SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER)
        SSL_CTX_ctrl(handle, SSL_CTRL_MODE, modes, nil)
        // Under load many small records arrive at once. One system call then reads as many as there are.
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_READ_AHEAD, 1, nil)
        SSL_CTX_set_default_read_buffer_len(handle, 65_536)
    }

    deinit { SSL_CTX_free(handle) }

    /// The suites of a client for TLS 1.2, as ciphers(1) writes them: AES-GCM and ChaCha20-Poly1305. Those of TLS 1.3
    /// are all of this kind, and aren't part of the list.
    private static let suites = "ECDHE+AESGCM:ECDHE+CHACHA20"

    /// For connections that verify the peer's certificate chain and name and require HTTP/2. `caFile`: a PEM file whose
    /// certificates are trusted. Nil: the system's (OpenSSL's default paths, and SSL_CERT_FILE and SSL_CERT_DIR).
    /// - Throws: `.credentials` if the file of trusted certificates can't be read.
    public static func client(caFile: String?) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_client_method())
        guard SSL_CTX_set_cipher_list(context.handle, suites) == 1 else {
            throw TLSError(.library, "OpenSSL has no cipher suite with ECDHE and AEAD: \(TLSErrorQueue.text())")
        }
        // HTTP/2 forbids renegotiation (RFC 9113 section 9.2.1). SSL_OP_NO_RENEGOTIATION, a macro, isn't imported.
        SSL_CTX_set_options(context.handle, 1 << 30)
        SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
        // Returns 0 for success, unlike similar functions.
        let offer: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
        guard SSL_CTX_set_alpn_protos(context.handle, offer, UInt32(offer.count)) == 0 else {
            throw TLSError(.library, "can't offer ALPN h2: \(TLSErrorQueue.text())")
        }
        if let caFile {
            guard SSL_CTX_load_verify_file(context.handle, caFile) == 1 else {
                throw TLSError(.credentials, "can't read certificates to trust from \(caFile): \(TLSErrorQueue.text())")
            }
        } else {
            SSL_CTX_set_default_verify_paths(context.handle)
        }
        return context
    }
}
