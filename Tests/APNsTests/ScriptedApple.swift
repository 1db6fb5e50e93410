import HTTP2Server
import OpenSSL
import Base

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
    private let opened = Mutex(0)
    private let script: Script

    init(_ script: @escaping Script) {
        self.script = script
    }

    var requests: [Seen] { seen.withLock { $0 } }
    var connections: Int { opened.withLock { $0 } }

    func connectionOpened(_ connection: ServerConnection) {
        opened.withLock { $0 += 1 }
    }

    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
        let one = Seen(
            connection: request.connectionID,
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
