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

    /// `Tests/Reference/scrape-fields.txt` says which hosts and which tokens are taken.
    @Test func request_isCheckedByItsHostAndItsToken() throws {
        let lines = try Checkout.reference("scrape-fields")
        #expect(lines.count == 36)
        let rule = ScrapeRule(token: Secret("planted-token"), allowsNames: true)
        for line in lines {
            let (kind, rest) = (line.prefix { $0 != " " }, line.drop { $0 != " " }.dropFirst())
            let parts = rest.split(separator: "→", omittingEmptySubsequences: false)
            let text = String(parts[0].dropLast()).replacing("⏎", with: "\r\n").replacing("⇥", with: "\t")
            func wanted(_ refusal: ScrapeRefusal) -> ScrapeRequest.Outcome {
                parts[1] == " taken" ? Self.page : .init(refusal: refusal)
            }
            if kind == "host" {
                let starts = ["GET /metrics HTTP/1.1\r\nHost: ", "GET /metrics HTTP/1.0\r\nhost:"]
                let found = starts.map { Self.outcome("\($0)\(text)\r\n\r\n") }
                #expect(found == [wanted(.host), wanted(.host)], "\(line)")
            } else {
                let fields = text.isEmpty ? "" : text + "\r\n"
                let found = Self.outcome("GET /metrics HTTP/1.1\r\nHost: x\r\n\(fields)\r\n", rule)
                #expect(found == wanted(.unauthorized), "\(line)")
            }
        }
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
        #expect(fitting.utf8.count == ScrapeRequest.mostBytes && Self.outcome(fitting) == Self.page)
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
