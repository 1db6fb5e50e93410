import COpenSSL

/// Credentials and settings that many TLS connections share: TLS 1.2 or newer, ALPN `h2`. A client uses TLS 1.2 only
/// with ECDHE and AEAD suites.
///
/// @unchecked Sendable: only the factories change the SSL_CTX. Afterwards only SSL_new uses it, which counts references
/// atomically.
public final class TLSContext: @unchecked Sendable {
    let handle: OpaquePointer

    private init(method: OpaquePointer?) throws(TLSError) {
        TLSErrorQueue.clear()
        guard let handle = SSL_CTX_new(method) else {
            throw TLSError(.library, "can't make a TLS context: \(TLSErrorQueue.text())")
        }
        self.handle = handle
        // The SSL_CTX_set_… names for these are macros, which Swift doesn't import.
        SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // A partial write reports each record when it is accepted. A moving buffer may have another address at the next
        // call.
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

    /// For connections that verify the peer's certificate chain and name and require HTTP/2.
    ///
    /// - Throws: `.credentials` if the source of trusted certificates can't be read.
    public static func client(trust: TLSTrust = .system) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_client_method())
        guard SSL_CTX_set_cipher_list(context.handle, suites) == 1 else {
            throw TLSError(.library, "OpenSSL has no cipher suite with ECDHE and AEAD: \(TLSErrorQueue.text())")
        }
        // HTTP/2 forbids renegotiation (RFC 9113 section 9.2.1). The number is SSL_OP_NO_RENEGOTIATION, a macro that
        // Swift doesn't import.
        SSL_CTX_set_options(context.handle, 1 << 30)
        SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
        // Returns 0 for success, unlike similar functions.
        let offer: [UInt8] = [2, UInt8(ascii: "h"), UInt8(ascii: "2")]
        guard SSL_CTX_set_alpn_protos(context.handle, offer, UInt32(offer.count)) == 0 else {
            throw TLSError(.library, "can't offer ALPN h2: \(TLSErrorQueue.text())")
        }
        switch trust {
        case .system:
            SSL_CTX_set_default_verify_paths(context.handle)
        case .only(.file(let path)):
            guard SSL_CTX_load_verify_file(context.handle, path) == 1 else {
                throw TLSError(.credentials, "can't read certificates to trust from \(path): \(TLSErrorQueue.text())")
            }
        case .only(.text(let text)):
            try context.trust(text: text)
        }
        return context
    }

    /// For a server's connections, with this certificate chain (leaf first) and key.
    ///
    /// - Parameter suites: Limits the server to TLS 1.2 with these suites, as ciphers(1) writes them.
    /// - Throws: `.credentials` if they can't be read or don't match. `.library` if no suite is known.
    public static func server(
        certificate: PEMSource,
        key: PEMSource,
        offersHTTP2: Bool = true,
        suites: String? = nil
    ) throws(TLSError) -> TLSContext {
        let context = try TLSContext(method: TLS_server_method())
        if let suites {
            SSL_CTX_ctrl(context.handle, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
            guard SSL_CTX_set_cipher_list(context.handle, suites) == 1 else {
                throw TLSError(.library, "OpenSSL has no cipher suite \(suites): \(TLSErrorQueue.text())")
            }
        }
        try context.use(certificate: certificate)
        try context.use(key: key)
        guard SSL_CTX_check_private_key(context.handle) == 1 else {
            throw TLSError(.credentials, "the private key doesn't belong to the certificate")
        }
        // No client resumes a session here, so tickets would be useless writes.
        SSL_CTX_set_num_tickets(context.handle, 0)
        if offersHTTP2 { SSL_CTX_set_alpn_select_cb(context.handle, selectHTTP2, nil) }
        return context
    }

    private func trust(text: String) throws(TLSError) {
        let source = try MemoryBIO(text)
        var count = 0
        while let certificate = PEM_read_bio_X509(source.handle, nil, nil, nil) {
            X509_STORE_add_cert(SSL_CTX_get_cert_store(handle), certificate)
            X509_free(certificate)
            count += 1
        }
        TLSErrorQueue.clear()
        guard count > 0 else { throw TLSError(.credentials, "no certificate in the text of those to trust") }
    }

    private func use(certificate: PEMSource) throws(TLSError) {
        switch certificate {
        case .file(let path):
            guard SSL_CTX_use_certificate_chain_file(handle, path) == 1 else {
                throw TLSError(.credentials, "can't read a certificate from \(path): \(TLSErrorQueue.text())")
            }
        case .text(let text):
            let source = try MemoryBIO(text)
            guard let leaf = PEM_read_bio_X509(source.handle, nil, nil, nil) else {
                throw TLSError(.credentials, "no certificate in the text: \(TLSErrorQueue.text())")
            }
            SSL_CTX_use_certificate(handle, leaf)
            X509_free(leaf)
            while let next = PEM_read_bio_X509(source.handle, nil, nil, nil) {
                // The context takes ownership of the reference, unless the call fails.
                if SSL_CTX_ctrl(handle, SSL_CTRL_CHAIN_CERT, 0, UnsafeMutableRawPointer(next)) != 1 { X509_free(next) }
            }
            TLSErrorQueue.clear()
        }
    }

    private func use(key: PEMSource) throws(TLSError) {
        switch key {
        case .file(let path):
            guard SSL_CTX_use_PrivateKey_file(handle, path, SSL_FILETYPE_PEM) == 1 else {
                throw TLSError(.credentials, "can't read a private key from \(path): \(TLSErrorQueue.text())")
            }
        case .text(let text):
            let source = try MemoryBIO(text)
            guard let key = PEM_read_bio_PrivateKey(source.handle, nil, nil, nil) else {
                throw TLSError(.credentials, "no private key in the text: \(TLSErrorQueue.text())")
            }
            defer { EVP_PKEY_free(key) }
            guard SSL_CTX_use_PrivateKey(handle, key) == 1 else {
                throw TLSError(.credentials, "the private key can't be used: \(TLSErrorQueue.text())")
            }
        }
    }
}

/// ALPN in a server (RFC 7301 section 3.2): it selects `h2` or ends the handshake.
private func selectHTTP2(
    _ ssl: OpaquePointer?,
    _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedLength: UnsafeMutablePointer<UInt8>?,
    _ offer: UnsafePointer<UInt8>?,
    _ offerLength: UInt32,
    _ context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offer, let selected, let selectedLength else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    var offset = 0
    while offset < Int(offerLength) {
        let length = Int(offer[offset])
        let start = offset + 1
        guard start + length <= Int(offerLength) else { break }
        if length == 2, offer[start] == UInt8(ascii: "h"), offer[start + 1] == UInt8(ascii: "2") {
            // The result may point into the offer, which stays valid after the call.
            selected.pointee = offer + start
            selectedLength.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        offset = start + length
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
