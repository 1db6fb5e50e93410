import Glibc
import Base
import TestSupport
import Testing

@testable import Metrics

/// The port beside clients of every kind.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct ScrapeServerTests {
    private static let request = "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    private struct Shown {
        let server: ScrapeServer
        let port: UInt16
    }

    /// On a free port. Another program can take it before the server does: then another one is tried.
    private static func server(isVersion6: Bool = false, _ page: String = "planted 1\n") throws -> Shown {
        for _ in 0..<20 {
            let port = LoopbackClient.freePort()
            let address = try #require(LoopbackAddress(isVersion6 ? "[::1]:\(port)" : "127.0.0.1:\(port)"))
            let server = try? ScrapeServer(at: address) { Array(page.utf8) }
            if let server { return Shown(server: server, port: port) }
        }
        throw CancellationError()
    }

    private static func ask(_ server: Shown, _ text: String) -> String? {
        let client = LoopbackClient(port: server.port)
        client?.send(text)
        return client?.readAll()
    }

    @Test(arguments: [false, true])
    func page_whenAskedFor_isWhole(isVersion6: Bool) throws {
        let server = try Self.server(isVersion6: isVersion6)
        #expect(
            LoopbackClient.scrape(port: server.port, isVersion6: isVersion6)
                == "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\ncontent-length: 10\r\nconnection: close\r\n\r\nplanted 1\n"
        )
    }

    @Test func answer_whenOnlyTheHeadIsWanted_hasNoBody() throws {
        let server = try Self.server()
        let answer = try #require(Self.ask(server, "HEAD /metrics HTTP/1.0\r\n\r\n"))
        #expect(
            answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("content-length: 10\r\n")
                && answer.hasSuffix("\r\n\r\n")
        )
    }

    @Test(
        arguments: [
            ("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"),
            ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421 Misdirected Request"),
            ("POST /metrics HTTP/1.0\r\n\r\n", "405 Method Not Allowed"),
            ("nonsense\r\n\r\n", "400 Bad Request"),
            ("GET /metrics HTTP/3.0\r\n\r\n", "505 HTTP Version Not Supported"),
            ("GET /" + String(repeating: "a", count: 100_000), "431 Request Header Fields Too Large"),
            (
                "POST /metrics HTTP/1.0\r\ncontent-length: 90000\r\n\r\n" + String(repeating: "a", count: 90_000),
                "405 Method Not Allowed"
            ),
        ]
    )
    func answer_whenTheRequestIsBad_saysWhy(request: String, status: String) throws {
        let server = try Self.server()
        let answer = try #require(Self.ask(server, request), "the answer was lost")
        #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(answer.prefix(200))")
        #expect(!answer.contains("planted"))
        #expect(answer.contains("allow: GET, HEAD\r\n") == status.hasPrefix("405"))
    }

    @Test func page_whenLarge_isWholeForASlowReader() throws {
        let page = String(repeating: "0123456789abcdef", count: 500_000)
        let server = try Self.server(page)
        let client = try #require(LoopbackClient(port: server.port))
        client.send(Self.request)
        #expect(client.readAll()?.hasSuffix("\r\n\r\n" + page) == true)
    }

    /// Nobody keeps a place: silent clients give way to those who ask.
    @Test func page_whenSilentClientsHoldEveryPlace_isShownAtOnce() throws {
        let server = try Self.server()
        let silent = (0..<3 * ScrapeLoop.mostConnections).compactMap { _ in LoopbackClient(port: server.port) }
        for client in silent { client.send("GET /metr") }
        let began = ContinuousClock.now
        #expect(LoopbackClient.scrape(port: server.port)?.contains("planted") == true)
        #expect(ContinuousClock.now - began < ScrapeConnection.patience)
        #expect(silent.count == 3 * ScrapeLoop.mostConnections)
    }

    @Test func client_whenItIsSlow_isLetGoAfterItsTime() throws {
        let server = try Self.server()
        let began = ContinuousClock.now
        let client = try #require(LoopbackClient(port: server.port))
        client.send("GET /metrics HTTP/1.1\r\n")
        #expect(client.readAll() == "")
        let took = ContinuousClock.now - began
        #expect(took > ScrapeConnection.patience - .milliseconds(200), "\(took)")
    }

    @Test func client_whenItLeavesInMidRequest_costsNothing() throws {
        let server = try Self.server()
        for text in ["", "GET /metrics", Self.request] {
            for _ in 0..<50 { LoopbackClient(port: server.port)?.send(text) }
        }
        let half = try #require(LoopbackClient(port: server.port))
        half.send("GET /metrics HTTP/1.1\r\n")
        half.endSending()
        #expect(half.readAll() == "")
        #expect(LoopbackClient.scrape(port: server.port)?.contains("planted") == true)
    }

    @Test func address_whenTaken_isRefusedAndFreeAfterAStop() throws {
        let port = LoopbackClient.freePort()
        let address = try #require(LoopbackAddress("127.0.0.1:\(port)"))
        let server = try ScrapeServer(at: address) { Array("first 1\n".utf8) }
        #expect(throws: MetricsError(.listen, "127.0.0.1:\(port)", EADDRINUSE)) {
            _ = try ScrapeServer(at: address) { [] }
        }
        #expect(LoopbackClient.scrape(port: port)?.hasSuffix("first 1\n") == true)
        // As the unit's SocketBindDeny= refuses it.
        #expect("\(MetricsError(.listen, "127.0.0.1:\(port)", EPERM))".contains("metrics-listen.conf"))
        // A connection that stands does not keep the address.
        let idle = LoopbackClient(port: port)
        server.stop()
        #expect(idle?.readAll() != "planted")
        #expect(LoopbackClient(port: port) == nil)
        let next = try ScrapeServer(at: address) { Array("second 1\n".utf8) }
        #expect(LoopbackClient.scrape(port: port)?.hasSuffix("second 1\n") == true)
        next.stop()
        next.stop()
    }
}
