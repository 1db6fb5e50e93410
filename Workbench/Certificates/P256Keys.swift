import COpenSSL
public import OpenSSL

/// A new P-256 key, for tests, the simulator and the demo. It replaces the `.p8` file that Apple issues.
public struct P256KeyPair: Sendable {
    /// The private key as PEM text (PKCS #8, unencrypted), the form of Apple's `.p8` files.
    public let privateKey: String
    public let publicKey: String

    /// - Throws: `.library` if OpenSSL has no memory or no entropy.
    public static func generate() throws(TLSError) -> P256KeyPair {
        let key = try newP256Key()
        defer { EVP_PKEY_free(key) }
        let publicKey = try pemText("the public key") { PEM_write_bio_PUBKEY($0, key) }
        return P256KeyPair(privateKey: try pemText(privateKey: key), publicKey: publicKey)
    }
}

/// A new P-256 key, which the caller frees.
func newP256Key() throws(TLSError) -> OpaquePointer {
    TLSErrorQueue.clear()
    let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil)
    defer { EVP_PKEY_CTX_free(context) }
    var drawn: OpaquePointer?
    guard EVP_PKEY_keygen_init(context) == 1,
        EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
        EVP_PKEY_keygen(context, &drawn) == 1, let key = drawn
    else { throw TLSError(.library, "can't make a P-256 key: \(TLSErrorQueue.text())") }
    return key
}

/// What `write` writes as PEM text (RFC 7468). It returns 1 if it could.
func pemText(_ what: String, _ write: (OpaquePointer) -> Int32) throws(TLSError) -> String {
    let output = try MemoryBIO()
    guard write(output.handle) == 1 else { throw TLSError(.library, "can't write \(what): \(TLSErrorQueue.text())") }
    return output.text()
}

/// A private key in the form of Apple's `.p8` files: PKCS #8, unencrypted.
func pemText(privateKey key: OpaquePointer) throws(TLSError) -> String {
    try pemText("the key") { PEM_write_bio_PKCS8PrivateKey($0, key, nil, nil, 0, nil, nil) }
}

/// OpenSSL's access to PEM text in memory.
struct MemoryBIO: ~Copyable {
    let handle: OpaquePointer

    /// - Parameter text: for reading. Empty: for writing.
    init(_ text: String = "") throws(TLSError) {
        guard let handle = BIO_new(BIO_s_mem()) else { throw TLSError(.library, "out of memory for a BIO") }
        var text = text
        let isWritten = text.withUTF8 { $0.isEmpty || BIO_write(handle, $0.baseAddress, Int32($0.count)) == $0.count }
        guard isWritten else {
            BIO_free(handle)
            throw TLSError(.library, "out of memory for a BIO")
        }
        self.handle = handle
    }

    deinit { BIO_free(handle) }

    func text() -> String {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(handle))
        let count = BIO_read(handle, &bytes, Int32(bytes.count))
        return String(decoding: bytes.prefix(Int(max(count, 0))), as: UTF8.self)
    }
}

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
