import Base
import Glibc
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
    private static func server(at host: String = "127.0.0.1", token: Secret? = nil, _ page: String = "planted 1\n")
        throws -> Shown
    {
        for _ in 0..<20 {
            let port = LoopbackClient.freePort()
            let address = try #require(ListenAddress("\(host):\(port)"))
            let server = try? ScrapeServer(at: address, token: token) { Array(page.utf8) }
            if let server { return Shown(server: server, port: port) }
        }
        throw CancellationError()
    }

    private static func ask(_ server: Shown, _ text: String) -> String? {
        let client = LoopbackClient(port: server.port)
        client?.send(text)
        return client?.readAll()
    }

    @Test(arguments: [false, true]) func page_whenAskedFor_isWhole(isVersion6: Bool) throws {
        let server = try Self.server(at: isVersion6 ? "[::1]" : "127.0.0.1")
        #expect(
            LoopbackClient.scrape(port: server.port, isVersion6: isVersion6)
                == "HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\ncontent-length: 10\r\nconnection: close\r\n\r\nplanted 1\n"
        )
    }

    @Test func answer_whenTheRequestIsBad_saysWhy_andToHEADHasNoBody() throws {
        let long = String(repeating: "a", count: 100_000)
        let post = "POST /metrics HTTP/1.0\r\n"
        let server = try Self.server()
        for (request, status) in [
            ("GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n", "404 Not Found"),
            ("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421 Misdirected Request"),
            ("\(post)\r\n", "405 Method Not Allowed"), ("nonsense\r\n\r\n", "400 Bad Request"),
            ("GET /metrics HTTP/3.0\r\n\r\n", "505 HTTP Version Not Supported"),
            ("GET /\(long)", "431 Request Header Fields Too Large"),
            ("\(post)content-length: 90000\r\n\r\n\(long.prefix(90_000))", "405 Method Not Allowed"),
        ] {
            let answer = try #require(Self.ask(server, request), "the answer was lost")
            #expect(answer.hasPrefix("HTTP/1.1 \(status)\r\n"), "\(answer.prefix(200))")
            #expect(
                !answer.contains("planted") && answer.contains("allow: GET, HEAD\r\n") == status.hasPrefix("405"),
                "\(status)"
            )
        }
        let answer = try #require(Self.ask(server, "HEAD /metrics HTTP/1.0\r\n\r\n"))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.contains("content-length: 10\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    /// As Prometheus asks, with the name of a service and with its token.
    private static func prometheus(_ token: String) -> String {
        "GET /metrics HTTP/1.1\r\nHost: nudged:9464\r\nUser-Agent: Prometheus/2.42.0\r\n"
            + "Accept: application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1\r\n"
            + "Accept-Encoding: gzip\r\nAuthorization: Bearer \(token)\r\nX-Prometheus-Scrape-Timeout-Seconds: 10\r\n\r\n"
    }

    @Test(arguments: ["127.0.0.1", "0.0.0.0"]) func page_whenThereIsAToken_isForThoseWhoSendIt(host: String) throws {
        let server = try Self.server(at: host, token: Secret("0123456789-planted-token"))
        let answer = try #require(Self.ask(server, Self.prometheus("0123456789-planted-token")))
        #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n") && answer.hasSuffix("\r\n\r\nplanted 1\n"))
        let refused = try #require(Self.ask(server, Self.prometheus("9876543210-planted-token")))
        #expect(
            refused
                == "HTTP/1.1 401 Unauthorized\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: 68\r\nconnection: close\r\nwww-authenticate: Bearer\r\n\r\n401 Unauthorized: send metrics.token as Authorization: Bearer TOKEN\n"
        )
        #expect(LoopbackClient.scrape(port: server.port)?.hasPrefix("HTTP/1.1 401 ") == true)
    }

    /// Who listens for other machines is asked by a name too; who listens for this one may be asked by a web page.
    @Test func page_onAnAddressThatOthersReach_takesNames() throws {
        let text = "GET /metrics HTTP/1.1\r\nHost: nudged:9464\r\n\r\n"
        #expect(Self.ask(try Self.server(at: "0.0.0.0"), text)?.hasSuffix("planted 1\n") == true)
        #expect(Self.ask(try Self.server(), text)?.hasPrefix("HTTP/1.1 421 ") == true)
    }

    /// Clients without the token get nothing but a place for a bounded time.
    @Test func page_whenStrangersHoldEveryPlace_isShownAtOnce() throws {
        let server = try Self.server(at: "0.0.0.0", token: Secret("0123456789-planted-token"))
        let strangers = (0..<3 * ScrapeLoop.mostConnections).compactMap { _ in LoopbackClient(port: server.port) }
        let start = "GET /metrics HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(String(repeating: "a", count: 2000))"
        for client in strangers { client.send(start) }
        let endless = try #require(LoopbackClient(port: server.port))
        endless.send(start)
        for _ in 0..<100 { endless.send("\r\nAuthorization: Bearer 0123456789-planted-token") }
        #expect(endless.readAll()?.hasPrefix("HTTP/1.1 431 ") == true)
        let began = ContinuousClock.now
        #expect(Self.ask(server, Self.prometheus("0123456789-planted-token"))?.hasSuffix("planted 1\n") == true)
        #expect(ContinuousClock.now - began < ScrapeConnection.patience)
        #expect(strangers.count == 3 * ScrapeLoop.mostConnections)
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
        #expect(half.readAll() == "" && LoopbackClient.scrape(port: server.port)?.contains("planted") == true)
    }

    @Test func address_whenTaken_isRefusedAndFreeAfterAStop() throws {
        let port = LoopbackClient.freePort()
        let address = try #require(ListenAddress("127.0.0.1:\(port)"))
        let server = try ScrapeServer(at: address) { Array("first 1\n".utf8) }
        #expect(throws: MetricsError.listen("127.0.0.1:\(port)", EADDRINUSE)) { try ScrapeServer(at: address) { [] } }
        #expect(LoopbackClient.scrape(port: port)?.hasSuffix("first 1\n") == true)
        // As the unit's SocketBindDeny= refuses it.
        #expect("\(MetricsError.listen("127.0.0.1:\(port)", EPERM))".contains("metrics-listen.conf"))
        // A connection that stands does not keep the address.
        let idle = LoopbackClient(port: port)
        server.stop()
        #expect(idle?.readAll() != "planted" && LoopbackClient(port: port) == nil)
        let next = try ScrapeServer(at: address) { Array("second 1\n".utf8) }
        #expect(LoopbackClient.scrape(port: port)?.hasSuffix("second 1\n") == true)
        next.stop()
        next.stop()
    }
}

@Suite struct ListenAddressTests {
    /// `Tests/Reference/listen-addresses.txt` says what each is.
    @Test func address_isWhatIsWritten() throws {
        let lines = try Checkout.reference("listen-addresses")
        #expect(lines.count == 36)
        for line in lines {
            let word = line.prefix { $0 != " " }
            let text = String(line.dropFirst(word.count + 1).dropLast()).replacing("␀", with: "\0")
            let address = ListenAddress(text)
            #expect(address?.description == (word == "none" ? nil : text), "\(line)")
            #expect(address?.isLoopback == (word == "none" ? nil : word == "loopback"), "\(line)")
        }
    }

    @Test func address_isShownInItsShortForm() {
        #expect(ListenAddress("[2001:DB8:0::0:9]:80")?.description == "[2001:db8::9]:80")
    }
}
