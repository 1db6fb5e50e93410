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
