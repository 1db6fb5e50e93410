import COpenSSL
public import OpenSSL

/// A new P-256 key, for tests, the simulator and the demo. It replaces the `.p8` file that Apple issues.
public struct P256KeyPair: Sendable {
    /// The private key as PEM text (PKCS #8, unencrypted), the form of Apple's `.p8` files.
    public let privateKey: String
    /// The public key as PEM text (SubjectPublicKeyInfo).
    public let publicKey: String

    /// Makes a random key.
    ///
    /// - Throws: `.library` if OpenSSL has no memory or no entropy.
    public static func generate() throws(TLSError) -> P256KeyPair {
        guard let context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nil) else { throw failure("a key context") }
        defer { EVP_PKEY_CTX_free(context) }
        var drawn: OpaquePointer?
        guard EVP_PKEY_keygen_init(context) == 1,
            EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1,
            EVP_PKEY_keygen(context, &drawn) == 1, let key = drawn
        else { throw failure("a P-256 key") }
        defer { EVP_PKEY_free(key) }
        let secret = try MemoryBIO()
        guard PEM_write_bio_PKCS8PrivateKey(secret.handle, key, nil, nil, 0, nil, nil) == 1 else {
            throw failure("PKCS #8")
        }
        let open = try MemoryBIO()
        guard PEM_write_bio_PUBKEY(open.handle, key) == 1 else { throw failure("the public key") }
        return P256KeyPair(privateKey: secret.text(), publicKey: open.text())
    }

    private static func failure(_ what: String) -> TLSError {
        TLSError(.library, "can't make \(what): \(TLSErrorQueue.text())")
    }
}
