import COpenSSL
import Foundation
import JSON
import OpenSSL
import TestSupport
import Testing

@testable import APNs

@Suite struct ProviderTokenTests {
    static let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)

    /// Foundation's decoder, so that ours is not held against itself.
    private func decoded(_ part: Substring) throws -> [UInt8] {
        #expect(!part.contains("=") && !part.contains("+") && !part.contains("/"))
        let text = part.replacing("-", with: "+").replacing("_", with: "/")
        return try Array(#require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))))
    }

    @Test func token_isAJWTThatVerifies_whenMinted() throws {
        var configuration = SenderConfiguration.test(port: 1, caFile: "")
        configuration.signingKey = try P256SigningKey(pem: Self.pem)
        configuration.teamID = "TEAM\"56789"
        let parts = try configuration.providerToken(issuedAt: 1_788_000_000).split(separator: ".")
        #expect(parts.count == 3)
        let header = try JSONValue(parsing: decoded(parts[0]))
        #expect(header["alg"] == .string("ES256"))
        #expect(header["kid"] == .string("KEY4567890"))
        let claims = try JSONValue(parsing: decoded(parts[1]))
        #expect(claims["iss"] == .string("TEAM\"56789"))
        #expect(claims["iat"] == .int(1_788_000_000))
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        #expect(try GeneratedKey.verifies(decoded(parts[2]), signed, pem: Self.pem))
    }

    /// RFC 4648, section 10, in the alphabet of section 5.
    @Test(arguments: [
        ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("fooba", "Zm9vYmE"),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64_equalsTheStandards_whenTextIsAnExample(text: String, expected: String) {
        #expect(Base64URL.encoded(Array(text.utf8)) == expected)
    }

    @Test func base64_usesTheAlphabetOfURLs_whenBitsAreHigh() {
        #expect(Base64URL.encoded([0xFB, 0xFF, 0xFE]) == "-__-")
    }
}
