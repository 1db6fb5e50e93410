import Base
import Seeded
import TestSupport
import Testing

@testable import Metrics

@Suite struct ScrapeRequestTests {
    private static let page = ScrapeRequest.Outcome()

    private static func outcome(_ text: String, _ rule: ScrapeRule = ScrapeRule()) -> ScrapeRequest.Outcome? {
        var request = ScrapeRequest(rule)
        return request.take(Array(text.utf8))
    }

    /// `Tests/Reference/scrape-requests.txt` says what becomes of each.
    @Test func request_isCheckedByItsHead() throws {
        let lines = try Checkout.reference("scrape-requests")
        #expect(lines.count == 25)
        for line in lines {
            let breaks = ["⏎": "\r\n", "↵": "\n", "␍": "\r"]
            let text = line.dropFirst(4).map { breaks["\($0)"] ?? "\($0)" }.joined()
            let outcome = Self.outcome(text)
            let status = outcome.map { String($0.refusal?.rawValue.prefix(3) ?? "200") } ?? "---"
            #expect(status == line.prefix(3) && (outcome?.isHead ?? false) == text.hasPrefix("HEAD "), "\(line)")
        }
        #expect(Self.outcome("\u{16}\u{3}\u{1}\n\n") == .init(refusal: .malformed) && Self.outcome("") == nil)
    }

    /// A page on the web can let its own name point to this machine (DNS rebinding). Its requests name that host.
    @Test(arguments: [
        ("localhost", true), ("LocalHost:9464", true), ("127.0.0.1", true), ("127.0.0.1:9464", true),
        ("[::1]", true), ("[::1]:9464", true), ("192.0.2.7:80", true), ("\t localhost \t", true),
        ("evil.example", false), ("evil.example:9464", false), ("localhost.evil.example", false),
        ("127.0.0.1.evil.example", false), ("evil@localhost", false), ("localhost:9464.evil.example", false),
        ("[evil.example]", false), ("127.1", false), ("localhost.", false), ("", false),
    ]) func request_whenItsHostIsAName_isRefused(host: String, isTaken: Bool) {
        let wanted = isTaken ? Self.page : ScrapeRequest.Outcome(refusal: .host)
        #expect(Self.outcome("GET /metrics HTTP/1.1\r\nHost: \(host)\r\n\r\n") == wanted, "\(host)")
        #expect(Self.outcome("GET /metrics HTTP/1.0\r\nhost:\(host)\r\n\r\n") == wanted, "\(host)")
    }

    /// The target's host counts in place of the field (RFC 9112, section 3.2.2).
    @Test func request_whenItsTargetNamesAHost_isRefusedForThatHost() {
        let text = "GET http://evil.example/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        #expect(Self.outcome(text) == .init(refusal: .host))
    }

    /// An address that others reach has a name for Prometheus, such as a service of Compose.
    @Test func request_whenNamesAreAllowed_namesAnyHost() {
        let text = "GET /metrics HTTP/1.1\r\nHost: nudged:9464\r\n\r\n"
        #expect(Self.outcome(text) == .init(refusal: .host))
        #expect(Self.outcome(text, ScrapeRule(allowsNames: true)) == Self.page)
    }

    @Test(arguments: [
        ("Authorization: Bearer planted-token", true), ("authorization:bearer   planted-token \t", true),
        ("AUTHORIZATION: BEARER planted-token", true), ("", false), ("Authorization: Bearer", false),
        ("Authorization: Bearer ", false), ("Authorization: planted-token", false),
        ("Authorization: Basic planted-token", false), ("Authorization: Bearerplanted-token", false),
        ("Authorization: Bearer planted-toke", false), ("Authorization: Bearer planted-tokens", false),
        ("Authorization: Bearer planted-tokem", false), ("Authorization: Bearer PLANTED-TOKEN", false),
        ("Authorization: Bearer planted-token planted-token", false), ("X: Bearer planted-token", false),
        ("Authorization: Bearer planted-token\r\nAuthorization: Bearer planted-token", false),
        ("Authorization: Bearer planted-token\r\nAuthorization: Basic x", false),
        ("Proxy-Authorization: Bearer planted-token", false),
    ]) func request_whenThereIsAToken_mustHaveItOnce(fields: String, isTaken: Bool) {
        let rule = ScrapeRule(token: Secret("planted-token"), allowsNames: true)
        let lines = fields.isEmpty ? "" : fields + "\r\n"
        let wanted = isTaken ? Self.page : ScrapeRequest.Outcome(refusal: .unauthorized)
        #expect(Self.outcome("GET /metrics HTTP/1.1\r\nHost: x\r\n\(lines)\r\n", rule) == wanted)
    }

    /// Without the token a client learns of no page, method or host.
    @Test(arguments: ["GET /", "GET /metrics", "POST /metrics"])
    func request_withoutTheToken_isRefusedFirst(start: String) {
        let rule = ScrapeRule(token: Secret("planted-token"))
        let wanted = ScrapeRequest.Outcome(refusal: .unauthorized)
        #expect(Self.outcome("\(start) HTTP/1.1\r\nHost: evil.example\r\n\r\n", rule) == wanted)
    }

    @Test func request_whenTooLarge_isRefusedAndNotKept() {
        let head = "GET /metrics HTTP/1.1\r\nHost: localhost\r\nlong: "
        let fitting = head + String(repeating: "a", count: ScrapeRequest.mostBytes - head.utf8.count - 4) + "\r\n\r\n"
        #expect(fitting.utf8.count == ScrapeRequest.mostBytes)
        #expect(Self.outcome(fitting) == Self.page)
        let found = Self.outcome(head + String(repeating: "a", count: ScrapeRequest.mostBytes))
        #expect(found == .init(refusal: .tooLarge))
        var request = ScrapeRequest()
        var taken = 0
        while request.take([UInt8](repeating: 0x61, count: 100)) == nil { taken += 100 }
        #expect(taken <= ScrapeRequest.mostBytes)
    }

    /// However it is split, a request is parsed the same way, and at its last byte.
    @Test(arguments: Seeds.all) func request_whenItComesInPieces_isCheckedTheSame(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for text in [
            "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n\r\n", "GET / HTTP/1.0\n\n",
            "HEAD /metrics HTTP/1.1\nHost: 127.0.0.1\r\n\n",
        ] {
            let whole = Self.outcome(text)
            for _ in 0..<50 {
                var request = ScrapeRequest()
                var rest = Array(text.utf8)[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(random.int(1...7))
                    rest = rest.dropFirst(piece.count)
                    let outcome = request.take(piece)
                    #expect(outcome == (rest.isEmpty ? whole : nil), "seed \(seed): \(text.debugDescription)")
                }
            }
        }
    }
}
