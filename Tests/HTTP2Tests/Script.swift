import HTTP2
import HTTP2Server

/// A server's behaviour as a closure, and what it saw.
final class Script: ServerHandler {
    struct Seen {
        var tags: Set<UInt64> = []
        var requests: [ServerRequest] = []
        var connections: [ServerConnection] = []
        var closed = 0
    }

    let seen = Watched(Seen())
    private let open: @Sendable (ServerConnection) -> Void
    private let answer: @Sendable (ServerRequest, ServerConnection) -> ServerReply

    init(
        open: @escaping @Sendable (ServerConnection) -> Void = { _ in },
        answer: @escaping @Sendable (ServerRequest, ServerConnection) -> ServerReply
    ) {
        self.open = open
        self.answer = answer
    }

    func connectionOpened(_ connection: ServerConnection) {
        seen.change { $0.connections.append(connection) }
        open(connection)
    }

    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
        seen.change { seen in
            if let tag = UInt64(request.path.dropFirst(3)) { seen.tags.insert(tag) }
            seen.requests.append(request)
        }
        return answer(request, connection)
    }

    func connectionClosed(_ connection: ServerConnection) {
        seen.change { $0.closed += 1 }
    }
}
