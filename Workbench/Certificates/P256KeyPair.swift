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
