import Certificates
import Glibc
import HTTP2
import HTTP2Server
import OpenSSL
import TestSupport
import Testing

/// A client and a server over real TLS on the loopback, and all that the client was told.
final class Pair: Sendable {
    struct Told {
        var results: [UInt64: [RequestResult]] = [:]
        var completed = 0
        var closed: [CloseReason] = []
        /// Events after `closed`.
        var afterwards = 0
    }

    static let authority = Result { try SelfSignedAuthority() }
    private let roots: CAFile
    let script: Script
    let server: Server
    let client: ClientConnection
    let told = Observed(Told())
    static let template = RequestTemplate(
        authority: "localhost",
        fields: [
            ("apns-topic", "com.example.App"), ("authorization", "bearer 0123456789012345678901234567890123456789"),
        ],
        varying: [("apns-id", true), ("apns-collapse-id", false)]
    )

    init(
        _ script: Script,
        resolver: NameLookup.Resolver? = nil,
        server adjustServer: (inout ServerConfiguration) -> Void = { _ in },
        client adjustClient: (inout ClientConfiguration) -> Void = { _ in }
    ) throws {
        self.script = script
        roots = try CAFile(Self.authority.get().certificate)
        let leaf = try Self.authority.get().issue(for: ["localhost"])
        var serverSide = ServerConfiguration(leaf)
        adjustServer(&serverSide)
        server = try Server(configuration: serverSide, handler: script)
        try server.start()
        var clientSide = ClientConfiguration(host: "localhost", port: server.port)
        clientSide.requestDeadline = 30_000
        clientSide.keptFields = ["apns-id"]
        clientSide.caFile = roots.path
        adjustClient(&clientSide)
        let (told, address) = (told, serverSide.address)
        client = ClientConnection(configuration: clientSide, resolver: resolver ?? { _ in [address] }) { event in
            told.change { $0.note(event) }
        }
        client.start()
    }

    deinit {
        client.close()
        server.stop()
    }

    func request(_ tag: UInt64, body: Int = 260, writeBy: UInt64 = .max) -> Request {
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: body)
        return Request(tag: tag, body: body, writeBy: writeBy, fields: ["id-\(tag)"])
    }

    func submit(_ tags: ClosedRange<UInt64>, body: Int = 260, writeBy: UInt64 = .max) {
        client.submit(tags.map { request($0, body: body, writeBy: writeBy) })
    }

    /// Waits until so many have completed, and gives the only result of each.
    func results(_ count: Int) async -> [UInt64: RequestResult] {
        await told.wait { $0.completed >= count }
        let now = told.now
        #expect(now.completed == count)
        #expect(now.results.values.allSatisfy { $0.count == 1 }, "each tag completes exactly once")
        return now.results.compactMapValues(\.first)
    }

    func closeReason() async -> CloseReason? {
        await told.wait { !$0.closed.isEmpty }
        let now = told.now
        #expect(now.closed.count == 1 && now.afterwards == 0)
        return now.closed.first
    }
}

/// A request to `/t/` and its tag.
struct Request {
    let tag: UInt64
    var body: [UInt8] = []
    var writeBy = UInt64.max
    /// The values of the template's varying fields.
    var fields: [String] = []
}

extension RequestBatch {
    init(_ requests: [Request]) {
        self.init()
        for request in requests {
            begin(writeBy: request.writeBy)
            appendPath("/t/\(request.tag)")
            for (index, value) in request.fields.enumerated() {
                appendField(index) { $0.append(contentsOf: value.utf8) }
            }
            appendBody { $0 += request.body }
        }
    }
}

extension ClientConnection {
    /// The requests' tags must follow one another.
    @discardableResult
    func submit(_ requests: [Request]) -> Bool {
        submit(RequestBatch(requests), nil, Pair.template, firstTag: requests.first?.tag ?? 0)
    }
}

extension Pair.Told {
    mutating func note(_ event: ClientEvent) {
        if !closed.isEmpty { afterwards += 1 }
        switch event {
        case .capacity, .goaway: break
        case .completions(let completions):
            completed += completions.count
            for completion in completions { results[completion.tag, default: []].append(completion.result) }
        case .closed(let reason): closed.append(reason)
        }
    }
}

extension RequestResult {
    var status: Int? { if case .response(let response) = self { response.status } else { nil } }
    var isUnsent: Bool { if case .unsent = self { true } else { false } }
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}

/// A server's behaviour as a closure, and the tags that it saw.
final class Script: ServerHandler {
    let seen = Observed<Set<UInt64>>([])
    private let open: @Sendable (ServerConnection) -> Void
    private let answer: @Sendable (ServerRequest, ServerConnection) -> ServerReply

    init(
        open: @escaping @Sendable (ServerConnection) -> Void = { _ in },
        answer: @escaping @Sendable (ServerRequest, ServerConnection) -> ServerReply
    ) {
        self.open = open
        self.answer = answer
    }

    func connectionOpened(_ connection: ServerConnection) { open(connection) }

    func request(_ request: ServerRequest, on connection: ServerConnection) -> ServerReply {
        if let tag = UInt64(request.path.dropFirst(3)) { seen.change { $0.insert(tag) } }
        return answer(request, connection)
    }
}

func boottime() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    return UInt64(time.tv_sec) * 1_000 + UInt64(time.tv_nsec) / 1_000_000
}
