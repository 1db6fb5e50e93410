import COpenSSL
import HTTP2
import HTTP2Server
import Certificates
import OpenSSL
import TestSupport

@testable import APNs

/// A sender, a clock in the test's hand and a scripted server over real TLS.
final class SenderRig: DrivenSender {
    static let pem = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
    static let key: P256SigningKey = {
        guard let key = try? P256SigningKey(pem: pem) else { preconditionFailure("the generated key is none") }
        return key
    }()

    let clock = ManualClock()
    let told = Told()
    let apple: ScriptedApple
    let server: Server
    let sender: Sender
    let configuration: SenderConfiguration
    private let roots: CAFile

    init(
        configure: (inout SenderConfiguration) -> Void = { _ in },
        script: @escaping ScriptedApple.Script
    ) throws {
        let authority = try SelfSignedAuthority()
        let leaf = try authority.issue(for: ["localhost", "127.0.0.1"])
        apple = ScriptedApple(script)
        server = try Server(
            configuration: ServerConfiguration(certificate: .text(leaf.certificate), key: .text(leaf.key)),
            handler: apple
        )
        try server.start()
        roots = try CAFile(authority.certificate)
        var configuration = SenderConfiguration.test(port: server.port, caFile: roots.path)
        configure(&configuration)
        self.configuration = configuration
        sender = told.sender(configuration, clock)
    }

    /// With a server that accepts everything.
    convenience init() throws {
        try self.init { _, _, _ in ScriptedApple.accepted }
    }

    deinit { server.stop() }
}
