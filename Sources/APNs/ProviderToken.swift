package import OpenSSL

/// A provider token: a JSON Web Token (RFC 7519) signed with ES256, as Apple demands.
package struct ProviderToken: Sendable {
    /// The compact form, `header.claims.signature`. It is a secret for an hour: never log it.
    package let text: String

    /// - Parameters:
    ///   - teamID: The claim `iss`.
    ///   - keyID: The header `kid`.
    ///   - issuedAt: The claim `iat`, Unix seconds of the wall clock.
    ///   - key: The key of `keyID`.
    package init(teamID: String, keyID: String, issuedAt: Int64, key: P256SigningKey) throws(APNsError) {
        var header = Array("{\"alg\":\"ES256\",\"kid\":".utf8)
        JSONText.append(keyID, to: &header)
        header.append(UInt8(ascii: "}"))
        var claims = Array("{\"iss\":".utf8)
        JSONText.append(teamID, to: &claims)
        claims.append(contentsOf: ",\"iat\":\(issuedAt)}".utf8)
        let signed = Base64URL.encoded(header) + "." + Base64URL.encoded(claims)
        do {
            text = signed + "." + Base64URL.encoded(try key.signature(for: Array(signed.utf8)))
        } catch {
            throw .unsignedToken(cause: error.description)
        }
    }
}

/// Base 64 for URLs, without padding (RFC 4648 section 5, RFC 7515 section 2).
enum Base64URL {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func encoded(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 4 + 2) / 3)
        var bits: UInt32 = 0
        var held = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(alphabet[Int(bits >> UInt32(held) & 63)])
            }
        }
        if held > 0 { text.append(alphabet[Int(bits << UInt32(6 - held) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }
}
