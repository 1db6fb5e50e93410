public import OpenSSL

/// A provider token: a JSON Web Token (RFC 7519) signed with ES256, as Apple demands.
public struct ProviderToken: Sendable {
    /// The compact form, `header.claims.signature`. It is a secret for an hour: never log it.
    public let text: String

    /// Signs a token.
    ///
    /// - Parameters:
    ///   - teamID: The claim `iss`.
    ///   - keyID: The header `kid`.
    ///   - issuedAt: The claim `iat`, Unix seconds of the wall clock.
    ///   - key: The key of `keyID`.
    public init(teamID: String, keyID: String, issuedAt: Int64, key: P256SigningKey) throws(APNsError) {
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
