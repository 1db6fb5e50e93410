import Base
import COpenSSL
import Certificates
import HTTP2
import HTTP2Server
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

    init(configure: (inout SenderConfiguration) -> Void = { _ in }, script: @escaping ScriptedApple.Script) throws {
        let authority = try SelfSignedAuthority()
        let leaf = try authority.issue(for: ["localhost", "127.0.0.1"])
        apple = ScriptedApple(script)
        server = try Server(configuration: ServerConfiguration(leaf), handler: apple)
        try server.start()
        roots = try CAFile(authority.certificate)
        var configuration = SenderConfiguration.test(port: server.port, caFile: roots.path)
        configure(&configuration)
        self.configuration = configuration
        sender = told.sender(configuration, clock)
    }

    /// With a server that accepts everything.
    convenience init() throws { try self.init { _, _, _ in ScriptedApple.accepted } }

    deinit { server.stop() }
}

/// A server whose answers are a function of the request, its connection and how many came before.
final class ScriptedApple: ServerHandler {
    /// A request as it came.
    struct Seen: Sendable {
        let connection: Int
        let stream: Int32
        let headers: HeaderFields
        let body: [UInt8]
        /// The device token of the path.
        var token: String { String((headers[":path"] ?? "").dropFirst("/3/device/".count)) }
        var authorization: String { headers["authorization"] ?? "" }
    }

    typealias Script = @Sendable (_ request: Seen, _ connection: ServerConnection, _ index: Int) -> ServerReply

    private let seen = Mutex<[Seen]>([])
    private let script: Script

    init(_ script: @escaping Script) { self.script = script }

    var requests: [Seen] { seen.withLock { $0 } }

    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
        let one = Seen(
            connection: connection.id,
            stream: request.streamID,
            headers: request.headers,
            body: request.body
        )
        let index = seen.withLock { seen in
            seen.append(one)
            return seen.count - 1
        }
        return script(one, connection, index)
    }

    static let accepted = ServerReply.respond(status: 200)

    static func refused(_ status: Int, _ reason: String) -> ServerReply {
        .respond(status: status, body: Array("{\"reason\":\"\(reason)\"}".utf8))
    }
}
