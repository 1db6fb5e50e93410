public import FoundationEssentials
import OpenSSL

/// Identities that repeat: the same nudge to the same device has the same ids in every attempt, by every daemon.
public enum PushIdentity {
    /// The `apns-id` of a nudge to a device.
    ///
    /// SHA-256 over the user's 16 bytes and the UTF-8 of kind, key and lower-case token, each preceded by its length
    /// in four big-endian bytes; the first 16 bytes of the digest, as a UUID of version 8 (RFC 9562, section 5.8).
    ///
    /// - Parameters:
    ///   - user: The user.
    ///   - kind: `check_in`, `message`, `reminder`.
    ///   - key: What tells the nudges of a kind and user apart: slot or id.
    ///   - token: The device token in hexadecimal, of either case.
    public static func apnsID(user: UUID, kind: String, key: String, token: String) -> UUID {
        var text = seed(user: user, kind: kind, key: key)
        append(token, lowercased: true, to: &text)
        let digest = words(of: text)
        // Version 8 and the variant of RFC 9562: the rest is the digest's.
        let high = digest.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        let low = digest.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return UUID(high: high, low: low)
    }

    /// The `apns-collapse-id` of a nudge, the same on all devices of the user: 32 hexadecimal digits.
    ///
    /// SHA-256 as in `apnsID`, without a token; its first 16 bytes.
    public static func collapseID(user: UUID, kind: String, key: String) -> String {
        let digest = words(of: seed(user: user, kind: kind, key: key))
        return hexadecimal(digest.0) + hexadecimal(digest.1)
    }

    /// What the record holds in place of a device token: the first 16 hexadecimal digits of the SHA-256 of the
    /// token's lower-case text. In SQL: `left(encode(sha256(convert_to(lower(token), 'UTF8')), 'hex'), 16)`.
    public static func deviceHash(token: String) -> String {
        hexadecimal(words(of: token.utf8.map(lowercase)).0)
    }

    private static func seed(user: UUID, kind: String, key: String) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(160)
        withUnsafeBytes(of: user.uuid) { text.append(contentsOf: $0) }
        append(kind, to: &text)
        append(key, to: &text)
        return text
    }

    /// The length goes first, or ("ab", "c") and ("a", "bc") would be one identity.
    private static func append(_ part: String, lowercased: Bool = false, to text: inout [UInt8]) {
        withUnsafeBytes(of: UInt32(truncatingIfNeeded: part.utf8.count).bigEndian) { text.append(contentsOf: $0) }
        if lowercased {
            text.append(contentsOf: part.utf8.lazy.map(lowercase))
        } else {
            text.append(contentsOf: part.utf8)
        }
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func words(of text: [UInt8]) -> (UInt64, UInt64) {
        // Nil only where OpenSSL has no memory for a context; a constant would give all devices one identity, so the
        // fallback is another (weaker, but stable) hash: FNV-1a, twice.
        guard let digest = SHA256.digest(of: text) else {
            return (fnv(text, from: 0xCBF2_9CE4_8422_2325), fnv(text, from: 0x8422_2325_CBF2_9CE4))
        }
        return (digest.words.0, digest.words.1)
    }

    private static func fnv(_ text: [UInt8], from basis: UInt64) -> UInt64 {
        text.reduce(basis) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func hexadecimal(_ word: UInt64) -> String {
        let digits = String(word, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
