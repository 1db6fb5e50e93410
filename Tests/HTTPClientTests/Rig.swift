import HTTPClient
import TestSupport

/// A server that is told what to do, a client that trusts it, and the file that this takes.
final class Rig: Sendable {
    static let token = "planted-token"
    static let path = "/planted-path?planted=query"

    let server: HTTPSServer
    let client: HTTPClient
    private let roots: CAFile

    init(
        names: [String]? = ["localhost", "127.0.0.1"],
        notBefore: Int = -86_400,
        notAfter: Int = 86_400,
        suites: String? = nil,
        answer: @escaping @Sendable (HTTPSRequest) -> [HTTPSAct] = { _ in HTTPSAct.answer() },
        settings adjust: (inout HTTPClientSettings) -> Void = { _ in }
    ) throws {
        server = try HTTPSServer(names: names, notBefore: notBefore, notAfter: notAfter, suites: suites, answer: answer)
        roots = try CAFile(HTTPSServer.authority.get().certificate)
        var settings = HTTPClientSettings()
        settings.caFile = roots.path
        // Busy machines: only where a test is about it is a deadline near.
        settings.deadline = .seconds(60)
        adjust(&settings)
        do {
            client = try HTTPClient(settings)
        } catch {
            server.stop()
            throw error
        }
    }

    deinit { server.stop() }

    func url(_ path: String = Rig.path, scheme: String = "https", host: String = "localhost") throws -> HTTPURL {
        try HTTPURL("\(scheme)://\(host):\(server.port)\(path)")
    }

    /// A POST of a small text with a token.
    func send(_ body: String = "planted-body", within deadline: Duration? = nil) async throws -> HTTPResponse {
        let json = "application/json"
        let request = try HTTPRequest(post: Array(body.utf8), to: url(), contentType: json, bearerToken: Self.token)
        return try await client.send(request, within: deadline)
    }

    /// Why the same came to nothing; nil: it was answered.
    func failure(within deadline: Duration? = nil) async throws -> HTTPClientError? {
        do {
            _ = try await send(within: deadline)
            return nil
        } catch let error as HTTPClientError {
            return error
        }
    }
}

extension HTTPClientError? {
    /// Whether it is there, has this code, and shows nothing that a test has planted.
    func isClean(_ code: HTTPClientError.Code) -> Bool { self?.code == code && self?.isClean == true }
}

extension HTTPClientError {
    /// Whether its text has nothing that a test has planted.
    var isClean: Bool {
        var dumped = ""
        dump(self, to: &dumped)
        return ![description, "\(self)", String(reflecting: self), dumped].contains { $0.contains("planted") }
    }
}
