import Base
package import FoundationEssentials
import OpenSSL

/// Repeatable ids: the same nudge to the same device has the same ids in every attempt, from every daemon.
package enum PushIdentity {
    /// The `apns-id` of a nudge to a device.
    ///
    /// The first 16 bytes of a SHA-256 as a UUID of version 8 (RFC 9562, section 5.8), of the user's 16 bytes, then
    /// kind, key and lower-case token in UTF-8, each after its length in four big-endian bytes.
    ///
    /// `kind`: `check_in`, `message`, `reminder`. `key`: slot or id, which tells nudges of one kind and user apart.
    /// `token`: in hexadecimal, in either case.
    package static func apnsID(user: UUID, kind: String, key: String, token: String) -> UUID {
        let digest = digest(user: user, kind: kind, key: key, token: token)
        // Set the version and the variant of RFC 9562. The other bits are the digest's.
        let high = digest.0 & 0xFFFF_FFFF_FFFF_0FFF | 0x8000
        let low = digest.1 & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
        return withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }

    /// The `apns-collapse-id` of a nudge: 32 hexadecimal digits (Apple takes 64 bytes), the same on a user's devices.
    package struct CollapseID: Sendable {
        private let words: InlineArray<2, UInt64>

        package init(_ high: UInt64, _ low: UInt64) { words = [high, low] }

        package func append(to bytes: inout [UInt8]) {
            for word in [words[0], words[1]] { JSONText.append(hexadecimal: word, to: &bytes) }
        }
    }

    /// The first 16 bytes of a SHA-256 as in `apnsID`, without a token.
    package static func collapseID(user: UUID, kind: String, key: String) -> CollapseID {
        let digest = digest(user: user, kind: kind, key: key, token: nil)
        return CollapseID(digest.0, digest.1)
    }

    /// What the record holds instead of a device token: the first 16 hexadecimal digits of the SHA-256 of the token's
    /// lower-case text. In SQL: `left(encode(sha256(convert_to(lower(token collate "C"), 'UTF8')), 'hex'), 16)`.
    package static func deviceHash(token: String) -> String {
        let count = token.utf8.count
        return withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { text in
            let word = words(of: text, upTo: copy(token, lowercased: true, to: text, at: 0)).0
            return String(unsafeUninitializedCapacity: 16) { digits in
                for place in 0..<16 {
                    digits[place] = JSONText.hexadecimal(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15)
                }
                return 16
            }
        }
    }

    private typealias Text = UnsafeMutableRawBufferPointer

    /// This runs for every push, so the input is built on the stack.
    private static func digest(user: UUID, kind: String, key: String, token: String?) -> (UInt64, UInt64) {
        let size = 16 + 4 + kind.utf8.count + 4 + key.utf8.count + (token.map { 4 + $0.utf8.count } ?? 0)
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { text in
            withUnsafeBytes(of: user.uuid) { text.copyMemory(from: $0) }
            var end = append(kind, to: text, at: 16)
            end = append(key, to: text, at: end)
            if let token { end = append(token, lowercased: true, to: text, at: end) }
            return words(of: text, upTo: end)
        }
    }

    /// The length comes first, or ("ab", "c") and ("a", "bc") would give one id. Returns the place of the next part.
    private static func append(_ part: String, lowercased: Bool = false, to text: Text, at place: Int) -> Int {
        text.storeBytes(of: UInt32(truncatingIfNeeded: part.utf8.count).bigEndian, toByteOffset: place, as: UInt32.self)
        return copy(part, lowercased: lowercased, to: text, at: place + 4)
    }

    private static func copy(_ part: String, lowercased: Bool, to text: Text, at place: Int) -> Int {
        let room = UnsafeMutableRawBufferPointer(rebasing: text[place...])
        room.copyBytes(from: part.utf8)
        let end = place + part.utf8.count
        guard lowercased else { return end }
        for index in place..<end where (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(text[index]) {
            text[index] |= 0x20
        }
        return end
    }

    private static func words(of text: Text, upTo end: Int) -> (UInt64, UInt64) {
        let bytes = UnsafeRawBufferPointer(rebasing: text[..<end])
        // Nil only if OpenSSL has no memory for a context. A constant would give all devices one id, so the fallback is
        // another stable but weaker hash: FNV-1a, twice.
        guard let digest = SHA256.digest(of: bytes) else {
            var second = FNV1a(from: 0x8422_2325_CBF2_9CE4)
            second.add(bytes)
            return (bytes.stableHash, second.value)
        }
        return (digest.words.0, digest.words.1)
    }
}
