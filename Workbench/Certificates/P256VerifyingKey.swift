import COpenSSL
public import OpenSSL

/// A P-256 key that verifies ES256 signatures (RFC 7518 section 3.4): SHA-256, raw `r || s`.
public final class P256VerifyingKey: Sendable {
    // nonisolated(unsafe): it never changes and is only read, which OpenSSL 3 allows on several threads.
    private nonisolated(unsafe) let key: OpaquePointer

    /// Reads PEM text: a public key, or a private key's public half. An error never holds the text.
    public init(pem: String) throws(TLSError) {
        guard let key = try Self.read(pem) else {
            throw TLSError(.credentials, "the text is not a PEM key, public or private")
        }
        var name = [CChar](repeating: 0, count: 80)
        var length = 0
        let isNamed = EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1
        // OpenSSL always returns the X9.62 name for P-256, whatever the key contains.
        guard isNamed, name.prefix(length).elementsEqual("prime256v1".utf8.map { CChar(bitPattern: $0) }) else {
            EVP_PKEY_free(key)
            TLSErrorQueue.clear()
            throw TLSError(.credentials, "the key is not an elliptic curve key on P-256")
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Whether `signature` (64 bytes, `r || s`) for `message` was made with this key's private half.
    public func isValid(_ signature: [UInt8], for message: [UInt8]) -> Bool {
        guard signature.count == 64, let encoded = Self.encoded(signature), let context = EVP_MD_CTX_new() else {
            return false
        }
        defer {
            EVP_MD_CTX_free(context)
            // A refused signature leaves an error in the thread's queue, which the next TLS call would read.
            TLSErrorQueue.clear()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }

    private static func read(_ pem: String) throws(TLSError) -> OpaquePointer? {
        defer { TLSErrorQueue.clear() }
        let open = try MemoryBIO(pem)
        if let key = PEM_read_bio_PUBKEY(open.handle, nil, nil, nil) { return key }
        let secret = try MemoryBIO(pem)
        // Without this callback OpenSSL would read an encrypted key's pass phrase from the terminal.
        return PEM_read_bio_PrivateKey(secret.handle, nil, { _, _, _, _ in -1 }, nil)
    }

    private static func encoded(_ raw: [UInt8]) -> [UInt8]? {
        guard let signature = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(signature) }
        let numbers = raw.withUnsafeBufferPointer { bytes -> (OpaquePointer?, OpaquePointer?) in
            (BN_bin2bn(bytes.baseAddress, 32, nil), BN_bin2bn(bytes.baseAddress.map { $0 + 32 }, 32, nil))
        }
        // On success the signature owns both numbers.
        guard let r = numbers.0, let s = numbers.1, ECDSA_SIG_set0(signature, r, s) == 1 else {
            BN_free(numbers.0)
            BN_free(numbers.1)
            return nil
        }
        var start: UnsafeMutablePointer<UInt8>?
        let length = i2d_ECDSA_SIG(signature, &start)
        guard length > 0, let start else { return nil }
        defer { CRYPTO_free(start, "", 0) }
        return Array(UnsafeBufferPointer(start: start, count: Int(length)))
    }
}
