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

/// A failure of TLS: a code for decisions, and a text for the operator. The text names hosts, files and OpenSSL's
/// reasons, never key material or payload.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        /// A certificate, key or trust source can't be read, or certificate and key don't match.
        case credentials
        /// The peer's certificate was refused: untrusted, out of its time, or for another host. No other address helps.
        case certificate
        /// The peer didn't agree on HTTP/2 (ALPN `h2`, RFC 9113 section 3.2).
        case noHTTP2
        /// The handshake failed for another reason, or the peer refused it.
        case handshake
        /// The connection broke below TLS. The value is errno, or 0 for an end of file without close_notify.
        case connection(errno: Int32)
        /// OpenSSL refused an operation that should not fail.
        case library
    }

    public let code: Code
    /// What was attempted, what happened and, if there is one, the remedy.
    public let description: String

    /// - Parameter description: It must not hold secrets.
    public init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }
}

extension TLSError {
    /// The error, with its remedy, for one of OpenSSL's X509_V_ERR codes.
    package init(verification code: Int32, host: String) {
        switch code {
        case X509_V_ERR_CERT_HAS_EXPIRED:
            let remedy = "renew it there; if it is valid, set this machine's clock"
            self.init(.certificate, "the certificate of \(host) has expired: \(remedy)")
        case X509_V_ERR_CERT_NOT_YET_VALID:
            self.init(.certificate, "the certificate of \(host) is not valid yet: set this machine's clock")
        case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
            let remedy = "check the configured host, or issue one for it"
            self.init(.certificate, "the host name does not match: the certificate is not for \(host); \(remedy)")
        case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
            X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT, X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
            X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE, X509_V_ERR_CERT_UNTRUSTED, X509_V_ERR_CERT_SIGNATURE_FAILURE:
            let remedy = "install ca-certificates, or name the authority's certificate as the CA file"
            self.init(.certificate, "the certificate of \(host) is not trusted: \(remedy)")
        default:
            let reason = X509_verify_cert_error_string(Int(code)).map { String(cString: $0) } ?? "reason \(code)"
            self.init(.certificate, "the certificate of \(host) was refused: \(reason)")
        }
    }
}

/// OpenSSL's errors of the current thread. Clear them before each operation, or an old one would be read as new.
package enum TLSErrorQueue {
    package static func clear() { ERR_clear_error() }

    /// OpenSSL's text for the newest error. Clears the queue.
    package static func text() -> String {
        let code = ERR_peek_last_error()
        defer { ERR_clear_error() }
        guard code != 0 else { return "no reason given" }
        if let reason = ERR_reason_error_string(code) { return String(cString: reason) }
        return "error \(String(code, radix: 16))"
    }
}
