import COpenSSL
import TestSupport
import Testing

@testable import OpenSSL

@Suite struct P256SigningKeyTests {
    @Test func signature_verifiesIndependently_whenKeyIsP256() throws {
        let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
        let key = try P256SigningKey(pem: pem)
        // Many, since a short r or s (one in 256 each) must be padded.
        for round in 0..<600 {
            let message = Array("message \(round)".utf8)
            let signature = try key.signature(for: message)
            #expect(signature.count == 64)
            #expect(GeneratedKey.verifies(signature, message, pem: pem))
            #expect(!GeneratedKey.verifies(signature, message + [0], pem: pem))
        }
    }

    @Test func signature_differs_whenAskedTwice() throws {
        let key = try P256SigningKey(pem: GeneratedKey.ellipticCurve(NID_X9_62_prime256v1))
        #expect(try key.signature(for: [1]) != key.signature(for: [1]))
    }

    @Test func key_isRead_whenLinesEndWithCarriageReturns() throws {
        let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
        let lines = pem.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
        _ = try P256SigningKey(pem: lines)
    }

    @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
    func key_isRefused_whenTextIsNoPEM(text: String) {
        #expect(throws: SigningKeyError.notPEM) { try P256SigningKey(pem: text) }
    }

    @Test func key_isRefused_whenTruncated() {
        let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
        #expect(throws: SigningKeyError.notPEM) { try P256SigningKey(pem: String(pem.prefix(pem.count / 2))) }
    }

    @Test func key_isRefused_whenRSA() {
        #expect(throws: SigningKeyError.notEllipticCurve) { try P256SigningKey(pem: GeneratedKey.rsa()) }
    }

    @Test(arguments: [NID_secp384r1, NID_secp256k1])
    func key_isRefused_whenOnAnotherCurve(curve: Int32) {
        #expect(throws: SigningKeyError.notP256) { try P256SigningKey(pem: GeneratedKey.ellipticCurve(curve)) }
    }

    @Test func key_whenItIsParsedTwice_isEqual() throws {
        let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
        let bytes = Array(pem.utf8)
        let key = try bytes.withUnsafeBytes { try P256SigningKey(pem: $0) }
        #expect(try key == P256SigningKey(pem: pem))
        #expect(try key != P256SigningKey(pem: GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)))
    }

    @Test func error_saysTheRemedy_withoutTheText() {
        for error in [SigningKeyError.notPEM, .notEllipticCurve, .notP256] {
            #expect(error.description.contains(".p8"))
        }
    }
}
