import COpenSSL

/// A P-256 private key that signs as ES256 (RFC 7518, section 3.4): SHA-256, raw `r || s`.
public final class P256SigningKey: Sendable {
    /// The bytes of one signature: `r` and `s` with 32 bytes each, big-endian.
    public static let signatureLength = 64

    // nonisolated(unsafe): it never changes and is only read. OpenSSL 3 allows several EVP_MD_CTX to use it at a time.
    private nonisolated(unsafe) let key: OpaquePointer

    /// Reads a key from the text of a `.p8` file: PEM, PKCS #8, unencrypted. OpenSSL overwrites its copies of the text.
    /// - Throws: `SigningKeyError` with the remedy, never with the key's text.
    public convenience init(pem: UnsafeRawBufferPointer) throws(SigningKeyError) {
        try self.init(Self.readPEM(pem))
    }

    /// The same for a text that needs no care, such as a key of a test.
    public convenience init(pem: String) throws(SigningKeyError) {
        try self.init(Array(pem.utf8).withUnsafeBytes { P256SigningKey.readPEM($0) })
    }

    /// Takes over what was read. Nil: the text is no key.
    private init(_ key: OpaquePointer?) throws(SigningKeyError) {
        guard let key else {
            ERR_clear_error()
            throw .notPEM
        }
        if let error = Self.fault(of: key) {
            EVP_PKEY_free(key)
            throw error
        }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// The ES256 signature of `message`: 64 bytes.
    /// - Throws: `SigningKeyError.signingFailed` if OpenSSL has no memory or no entropy.
    public func signature(for message: [UInt8]) throws(SigningKeyError) -> [UInt8] {
        guard let context = EVP_MD_CTX_new() else { throw .signingFailed(step: "context") }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1 else { throw .signingFailed(step: "init") }
        // A DER signature of P-256 has at most 72 bytes, but the key gives the exact maximum.
        var length = Int(EVP_PKEY_get_size(key))
        var encoded = [UInt8](repeating: 0, count: max(length, 0))
        guard EVP_DigestSign(context, &encoded, &length, message, message.count) == 1 else {
            throw .signingFailed(step: "sign")
        }
        guard let raw = Self.rawSignature(fromDER: encoded.prefix(length)) else { throw .signingFailed(step: "encode") }
        return raw
    }

    private static func readPEM(_ bytes: UnsafeRawBufferPointer) -> OpaquePointer? {
        ERR_clear_error()
        // It reads the bytes in place.
        guard let bio = BIO_new_mem_buf(bytes.baseAddress, Int32(clamping: bytes.count)) else { return nil }
        defer { BIO_free(bio) }
        // Without this callback OpenSSL would read an encrypted key's pass phrase from the terminal.
        return PEM_read_bio_PrivateKey(bio, nil, { _, _, _, _ in -1 }, nil)
    }

    private static func fault(of key: OpaquePointer) -> SigningKeyError? {
        guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else { return .notEllipticCurve }
        var name = [CChar](repeating: 0, count: 80)
        var length = 0
        guard EVP_PKEY_get_group_name(key, &name, name.count, &length) == 1 else { return .notP256 }
        // OpenSSL always returns the X9.62 name for P-256, whatever the key contains.
        return name.prefix(length).elementsEqual("prime256v1".utf8.map(CChar.init(bitPattern:))) ? nil : .notP256
    }

    /// JWS needs `r || s` with a fixed width. OpenSSL makes a DER sequence of two integers.
    private static func rawSignature(fromDER encoded: ArraySlice<UInt8>) -> [UInt8]? {
        encoded.withUnsafeBufferPointer { buffer -> [UInt8]? in
            var cursor = buffer.baseAddress
            guard let parsed = d2i_ECDSA_SIG(nil, &cursor, buffer.count) else { return nil }
            defer { ECDSA_SIG_free(parsed) }
            var r = [UInt8](repeating: 0, count: signatureLength / 2)
            var s = r
            guard BN_bn2binpad(ECDSA_SIG_get0_r(parsed), &r, 32) == 32,
                BN_bn2binpad(ECDSA_SIG_get0_s(parsed), &s, 32) == 32
            else { return nil }
            return r + s
        }
    }
}

extension P256SigningKey: Equatable {
    /// Compares the public halves. Each belongs to one private key.
    public static func == (left: P256SigningKey, right: P256SigningKey) -> Bool {
        left === right || EVP_PKEY_eq(left.key, right.key) == 1
    }
}

/// Why the text of a provider key can't be used for signing. No case holds a byte of the key.
public enum SigningKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text holds no PEM private key, or one that is encrypted or damaged.
    case notPEM
    /// A private key of another kind (RSA, Ed25519 …).
    case notEllipticCurve
    case notP256
    /// OpenSSL failed at a step that can't fail for a valid key. `step` names it.
    case signingFailed(step: String)

    public var problem: String {
        switch self {
        case .notPEM: "the key is not a PEM private key"
        case .notEllipticCurve: "the key is a private key, but not an elliptic curve key"
        case .notP256: "the key is an elliptic curve key, but not on P-256 (prime256v1)"
        case .signingFailed(let step): "OpenSSL could not sign with the key (\(step))"
        }
    }

    public var remedy: String? {
        switch self {
        case .notPEM:
            "give the whole text of the .p8 file from Apple, from -----BEGIN PRIVATE KEY----- to "
                + "-----END PRIVATE KEY-----, line breaks included"
        case .notEllipticCurve:
            "use the .p8 file of an APNs authentication key (Apple Developer, Keys), not a certificate's key"
        case .notP256: "use the .p8 file of an APNs authentication key (Apple Developer, Keys)"
        case .signingFailed: nil
        }
    }

    public var description: String { [problem, remedy].compactMap(\.self).joined(separator: ": ") }
}
