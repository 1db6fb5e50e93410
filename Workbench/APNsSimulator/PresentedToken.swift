import JSON
import Certificates

/// A provider token with a valid signature.
struct PresentedToken: Sendable, Equatable {
    let keyID: String
    /// Seconds since 1970.
    let issuedAt: Int64

    /// Parses `bearer <JWT>`. Nil if anything but its age is wrong (RFC 7515 section 5.2, RFC 7518 section 3.4).
    ///
    /// - Parameter keys: by key id.
    init?(authorization: String, keys: [String: (teamID: String, key: P256VerifyingKey)]) {
        guard let text = Self.bearer(authorization) else { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Self.object(parts[0]), let claims = Self.object(parts[1]),
            let signature = Self.bytes(parts[2]), header["alg"] == .string("ES256"),
            case .string(let keyID)? = header["kid"],
            let (teamID, key) = keys[keyID], claims["iss"] == .string(teamID), case .int(let issuedAt)? = claims["iat"],
            key.isValid(signature, for: Array("\(parts[0]).\(parts[1])".utf8))
        else { return nil }
        self.keyID = keyID
        self.issuedAt = issuedAt
    }

    /// The scheme's name is case-insensitive (RFC 9110 section 11.1).
    static func bearer(_ authorization: String) -> Substring? {
        guard authorization.prefix(7).lowercased() == "bearer " else { return nil }
        let text = authorization.dropFirst(7)
        return text.isEmpty ? nil : text
    }

    private static func object(_ part: Substring) -> JSONValue? {
        bytes(part).flatMap { try? JSONValue(parsing: $0) }
    }

    /// base64url without padding (RFC 7515 section 2).
    static func bytes(_ text: Substring) -> [UInt8]? {
        var result: [UInt8] = []
        var bits: UInt32 = 0
        var count = 0
        for byte in text.utf8 {
            let value: UInt8
            switch byte {
            case 65...90: value = byte - 65
            case 97...122: value = byte - 71
            case 48...57: value = byte + 4
            case 45: value = 62
            case 95: value = 63
            default: return nil
            }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                result.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return count < 6 ? result : nil
    }
}
