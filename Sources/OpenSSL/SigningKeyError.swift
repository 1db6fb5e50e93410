/// Why the text of a provider key can't be used for signing. No case holds a byte of the key.
public enum SigningKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text holds no PEM private key, or one that is encrypted or damaged.
    case notPEM
    /// A private key of another kind (RSA, Ed25519 …).
    case notEllipticCurve
    case notP256
    /// OpenSSL failed at a step that can't fail for a valid key. `step` names it.
    case signingFailed(step: String)

    /// What is wrong.
    public var problem: String {
        switch self {
        case .notPEM: "the key is not a PEM private key"
        case .notEllipticCurve: "the key is a private key, but not an elliptic curve key"
        case .notP256: "the key is an elliptic curve key, but not on P-256 (prime256v1)"
        case .signingFailed(let step): "OpenSSL could not sign with the key (\(step))"
        }
    }

    /// What an operator can do about it, if known.
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

    /// The problem and the remedy in one line.
    public var description: String { [problem, remedy].compactMap(\.self).joined(separator: ": ") }
}
