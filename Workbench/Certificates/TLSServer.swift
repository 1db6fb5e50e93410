import COpenSSL
package import OpenSSL

extension TLSConnection {
    package convenience init(server context: TLSContext, descriptor: Int32) throws(TLSError) {
        try self.init(context: context, descriptor: descriptor, host: nil)
        SSL_set_accept_state(handle)
    }
}

extension TLSContext {
    /// For a server's connections. `suites` limits it to TLS 1.2 with these, as ciphers(1) writes them.
    package static func server(
        _ issued: IssuedCertificate,
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
        try context.use(issued)
        guard SSL_CTX_check_private_key(context.handle) == 1 else {
            throw TLSError(.credentials, "the private key doesn't belong to the certificate")
        }
        // No client resumes a session here, so tickets would be useless writes.
        SSL_CTX_set_num_tickets(context.handle, 0)
        if offersHTTP2 { SSL_CTX_set_alpn_select_cb(context.handle, selectHTTP2, nil) }
        return context
    }

    private func use(_ issued: IssuedCertificate) throws(TLSError) {
        let text = try MemoryBIO(issued.certificate)
        guard let leaf = PEM_read_bio_X509(text.handle, nil, nil, nil) else {
            throw TLSError(.credentials, "no certificate in the text: \(TLSErrorQueue.text())")
        }
        defer { X509_free(leaf) }
        SSL_CTX_use_certificate(handle, leaf)
        let secret = try MemoryBIO(issued.key)
        guard let key = PEM_read_bio_PrivateKey(secret.handle, nil, nil, nil) else {
            throw TLSError(.credentials, "no private key in the text: \(TLSErrorQueue.text())")
        }
        defer { EVP_PKEY_free(key) }
        guard SSL_CTX_use_PrivateKey(handle, key) == 1 else {
            throw TLSError(.credentials, "the private key can't be used: \(TLSErrorQueue.text())")
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
    // The result points into this text, which stays valid after the call.
    let protocols: StaticString = "\u{2}h2"
    var start: UnsafeMutablePointer<UInt8>?
    let code = SSL_select_next_proto(&start, selectedLength, protocols.utf8Start, 3, offer, offerLength)
    guard code == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
    selected?.pointee = UnsafePointer(start)
    return SSL_TLSEXT_ERR_OK
}
