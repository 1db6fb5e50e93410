import COpenSSL
import Glibc
import TestSupport
import Testing

import Certificates
@testable import OpenSSL

/// Both ends of TLS on a socket pair, driven by hand.
struct TLSTests {
    private let authority: SelfSignedAuthority

    init() throws { authority = try SelfSignedAuthority() }

    /// - Parameter trust: nil: the authority.
    private func client(_ trust: String? = nil) throws -> TLSContext {
        let roots = try CAFile(trust ?? authority.certificate)
        return try withExtendedLifetime(roots) { try TLSContext.client(caFile: roots.path) }
    }

    private static func shakeHands(_ near: TLSConnection, _ far: TLSConnection) throws {
        var isDone = (near: false, far: false)
        while !isDone.near || !isDone.far {
            if !isDone.near, case .done = try near.handshake() { isDone.near = true }
            if !isDone.far, case .done = try far.handshake() { isDone.far = true }
        }
    }

    private func shake(
        _ leaf: IssuedCertificate,
        host: String = "localhost",
        trust: String? = nil,
        offersHTTP2: Bool = true,
        suites: String? = nil
    ) throws {
        let server = try TLSContext.server(leaf, offersHTTP2: offersHTTP2, suites: suites)
        let client = try client(trust)
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let near = try TLSConnection(client: client, descriptor: ends[0], host: host)
        let far = try TLSConnection(server: server, descriptor: ends[1])
        try Self.shakeHands(near, far)
        let hello = Array("hello".utf8)
        #expect(try hello.withUnsafeBytes { bytes throws(TLSError) in try near.write(bytes) } == .done(5))
        var buffer = [UInt8](repeating: 0, count: 64)
        #expect(try buffer.withUnsafeMutableBytes { bytes throws(TLSError) in try far.read(into: bytes) } == .done(5))
        #expect(Array(buffer[..<5]) == hello)
        far.close()
        #expect(try buffer.withUnsafeMutableBytes { bytes throws(TLSError) in try near.read(into: bytes) } == .closed)
    }

    @Test func handshake_whenTrusted_alsoOverTLS12WithECDHEAndAEAD() throws {
        try shake(authority.issue(for: ["localhost"]))
        try shake(authority.issue(for: ["127.0.0.1", "::1"]), host: "127.0.0.1")
        try shake(authority.issue(for: ["127.0.0.1", "::1"]), host: "::1")
        for suite in ["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"] {
            try shake(authority.issue(for: ["localhost"]), suites: suite)
        }
    }

    private func code(_ body: () throws -> Void) -> TLSError? {
        do { try body() } catch { return error as? TLSError }
        return nil
    }

    @Test func handshake_whenTheCertificateIsWrongOrHTTP2IsNotOffered_isRefused() throws {
        let other = try SelfSignedAuthority(name: "somebody else").certificate
        func expect(_ words: String, of leaf: IssuedCertificate, host: String = "localhost", trust: String? = nil) {
            let error = code { try shake(leaf, host: host, trust: trust) }
            #expect(error?.code == .certificate && error?.description.contains(words) == true, "\(words)")
        }
        expect("is not trusted", of: try authority.issue(for: ["localhost"]), trust: other)
        expect("has expired", of: try authority.issue(for: ["localhost"], notAfter: -60))
        expect("is not valid yet", of: try authority.issue(for: ["localhost"], notBefore: 3_600))
        expect("is not for", of: try authority.issue(for: ["example.org"]))
        expect("is not for", of: try authority.issue(for: ["127.0.0.2"]), host: "127.0.0.1")
        let error = code { try shake(authority.issue(for: ["localhost"]), offersHTTP2: false) }
        #expect(error?.code == .noHTTP2, "no ALPN")
    }

    /// What a client says after the server's first answer. Nil if it goes on.
    private func refusal(_ suite: String, certificate: String, key: String, trust: String) throws -> TLSError? {
        let server = try TLSContext.server(IssuedCertificate(certificate: certificate, key: key), suites: suite)
        let client = try client(trust)
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let near = try TLSConnection(client: client, descriptor: ends[0], host: "localhost")
        let far = try TLSConnection(server: server, descriptor: ends[1])
        #expect(try near.handshake() == .wantsRead)
        _ = try? far.handshake()
        return code { _ = try near.handshake() }
    }

    /// Static RSA has no forward secrecy, and CBC has a history of padding attacks.
    @Test(arguments: ["AES128-SHA", "AES128-GCM-SHA256", "ECDHE-RSA-AES128-SHA", "ECDHE-RSA-AES128-SHA256"])
    func handshake_whenTLS12WithStaticRSAOrCBC_isRefused(suite: String) throws {
        let (certificate, key) = GeneratedKey.rsaCertificate(for: "localhost")
        let error = try refusal(suite, certificate: certificate, key: key, trust: certificate)
        #expect(error?.code == .handshake)
        let text = error?.description ?? ""
        #expect(text.hasSuffix("or TLS 1.2 with ECDHE and AES-GCM or ChaCha20-Poly1305"), "\(text)")
        let good = "ECDHE-RSA-AES128-GCM-SHA256"
        #expect(try refusal(good, certificate: certificate, key: key, trust: certificate) == nil)
    }

    /// In TLS 1.3 a server may send new keys without end. OpenSSL reads on until data comes.
    @Test func read_whenOnlyNewKeysCome_comesBackSoon() throws {
        let leaf = try authority.issue(for: ["localhost"])
        let server = try TLSContext.server(leaf)
        let client = try client()
        var ends: [Int32] = [0, 0]
        // So each read of the socket brings one message.
        #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        defer { for end in ends { close(end) } }
        let near = try TLSConnection(client: client, descriptor: ends[0], host: "localhost")
        let far = try TLSConnection(server: server, descriptor: ends[1])
        try Self.shakeHands(near, far)
        let before = near.received
        for _ in 0..<6 {
            #expect(SSL_key_update(far.handle, Int32(SSL_KEY_UPDATE_NOT_REQUESTED)) == 1)
            #expect(SSL_do_handshake(far.handle) == 1)
        }
        var buffer = [UInt8](repeating: 0, count: 64)
        func read() throws -> (step: TLSStep, bytes: UInt64) {
            let step = try buffer.withUnsafeMutableBytes { bytes throws(TLSError) in try near.read(into: bytes) }
            return (step, near.received - before)
        }
        let first = try read()
        let second = try read()
        #expect(first.step == .wantsRead && second.step == .wantsRead)
        // Four of six, then the rest.
        #expect(first.bytes > 0 && first.bytes * 6 == second.bytes * 4)
    }

    @Test func context_whenFilesAreBad() throws {
        #expect(code { _ = try TLSContext.client(caFile: "/nowhere") }?.code == .credentials)
        #expect(code { _ = try client("no PEM") }?.code == .credentials)
        let one = try authority.issue(for: ["a"])
        let two = try authority.issue(for: ["a"])
        let wrong = IssuedCertificate(certificate: one.certificate, key: two.key)
        let mixed = code { _ = try TLSContext.server(wrong) }
        #expect(mixed?.code == .credentials)
    }

    @Test func write_whenPeerIsGone_raisesNoSignal() throws {
        let client = try client()
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        let near = try TLSConnection(client: client, descriptor: ends[0], host: "localhost")
        close(ends[1])
        defer { close(ends[0]) }
        #expect(code { _ = try near.handshake() }?.code == .connection(errno: EPIPE))
    }
}
