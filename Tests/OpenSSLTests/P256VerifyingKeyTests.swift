import Testing

import Certificates
@testable import OpenSSL

@Suite struct P256VerifyingKeyTests {
    @Test func signature_whenItIsGoodAndWhenABitIsNot() throws {
        let pair = try P256KeyPair.generate()
        let message = Array("message".utf8)
        let signature = try P256SigningKey(pem: pair.privateKey).signature(for: message)
        for pem in [pair.publicKey, pair.privateKey] {
            let key = try P256VerifyingKey(pem: pem)
            #expect(key.isValid(signature, for: message))
            #expect(!key.isValid(signature, for: message + [0]))
            for index in signature.indices {
                var changed = signature
                changed[index] ^= 1
                #expect(!key.isValid(changed, for: message))
            }
            #expect(!key.isValid([], for: message))
            #expect(!key.isValid(signature + [0], for: message))
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
