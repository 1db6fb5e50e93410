import COpenSSL
import Certificates
import TestSupport
import Testing

@testable import OpenSSL

@Suite struct P256SigningKeyTests {
    private let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)

    @Test func signature_verifiesIndependently_andDiffersEachTime() throws {
        let key = try P256SigningKey(pem: pem)
        // Many, since a short r or s (one in 256 each) must be padded.
        for round in 0..<600 {
            let message = Array("message \(round)".utf8)
            let signature = try key.signature(for: message)
            #expect(signature.count == 64 && GeneratedKey.verifies(signature, message, pem: pem))
            #expect(!GeneratedKey.verifies(signature, message + [0], pem: pem))
        }
        #expect(try key.signature(for: [1]) != key.signature(for: [1]))
    }

    @Test func key_whenItIsParsedTwice_isEqual() throws {
        let key = try Array(pem.utf8).withUnsafeBytes { try P256SigningKey(pem: $0) }
        #expect(try key == P256SigningKey(pem: pem))
        let lines = pem.split(separator: "\n").joined(separator: "\r\n") + "\r\n"
        #expect(try key == P256SigningKey(pem: lines))
        #expect(try key != P256SigningKey(pem: GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)))
    }

    /// No PEM, half of one, RSA, and other curves. The error says the remedy.
    @Test func key_whenItIsNone_isRefused() {
        let keys: [(text: String, error: SigningKeyError)] = [
            ("", .notPEM), ("no key", .notPEM),
            ("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", .notPEM),
            (String(pem.prefix(pem.count / 2)), .notPEM), (GeneratedKey.rsa(), .notEllipticCurve),
            (GeneratedKey.ellipticCurve(NID_secp384r1), .notP256),
            (GeneratedKey.ellipticCurve(NID_secp256k1), .notP256),
        ]
        for (text, error) in keys {
            #expect(throws: error) { try P256SigningKey(pem: text) }
            #expect(error.description.contains(".p8"))
        }
    }
}
@Suite struct P256VerifyingKeyTests {
    @Test func signature_whenItIsGoodAndWhenABitIsNot() throws {
        let pair = try P256KeyPair.generate()
        let message = Array("message".utf8)
        let signature = try P256SigningKey(pem: pair.privateKey).signature(for: message)
        for pem in [pair.publicKey, pair.privateKey] {
            let key = try P256VerifyingKey(pem: pem)
            #expect(key.isValid(signature, for: message) && !key.isValid(signature, for: message + [0]))
            for index in signature.indices {
                var changed = signature
                changed[index] ^= 1
                #expect(!key.isValid(changed, for: message))
            }
            #expect(!key.isValid([], for: message) && !key.isValid(signature + [0], for: message))
            #expect(!key.isValid([UInt8](repeating: 0, count: 64), for: message))
            #expect(!key.isValid([UInt8](repeating: 255, count: 64), for: message))
        }
        #expect(!(try P256VerifyingKey(pem: try P256KeyPair.generate().publicKey).isValid(signature, for: message)))
    }

    @Test func pair_hasAppleSForm() throws {
        let pair = try P256KeyPair.generate()
        #expect(pair.privateKey.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(pair.publicKey.hasPrefix("-----BEGIN PUBLIC KEY-----\n"))
        #expect(try P256KeyPair.generate().privateKey != pair.privateKey)
    }

    @Test func key_whenTheTextIsNone() {
        for text in ["", "nothing", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"] {
            #expect(throws: TLSError.self) { try P256VerifyingKey(pem: text) }
        }
    }
}

@Suite struct SHA256Tests {
    /// FIPS 180-4's own examples.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ]) func digest_equalsTheStandards_whenTextIsAnExample(text: String, expected: String) throws {
        let digest = try #require(SHA256.digest(of: Array(text.utf8)))
        let digits = digest.bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(digits == expected)
    }

    /// RFC 4231, sections 4.2, 4.3 and 4.7 (a key that is longer than a block).
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0B, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
    ]) func hmac_isThatOfTheRFC(key: [UInt8], message: String, digest: String) {
        let digits = SHA256.hmac(key: key, Array(message.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        #expect(digits.joined() == digest)
    }
}
