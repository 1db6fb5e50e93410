import Seeded
import TestSupport
import Testing

@testable import Metrics

@Suite struct ScrapeRequestTests {
    private static let page = ScrapeRequest.Outcome()

    private static func outcome(_ text: String) -> ScrapeRequest.Outcome? {
        var request = ScrapeRequest()
        return request.take(Array(text.utf8))
    }

    @Test(
        arguments: [
            ("GET /metrics HTTP/1.1\r\nHost: localhost:9464\r\n\r\n", page),
            ("GET /metrics HTTP/1.0\r\n\r\n", page),
            ("GET /metrics HTTP/1.1\nhost:x\n\n", page),
            ("GET /metrics?name[]=a&b HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\nbody", page),
            ("GET http://localhost:9464/metrics HTTP/1.1\r\nHost: x\r\n\r\n", page),
            ("HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n", .init(isHead: true)),
            ("HEAD / HTTP/1.0\r\n\r\n", .init(refusal: .notFound, isHead: true)),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .notFound)),
            ("GET /metrics/ HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .notFound)),
            ("GET /../metrics HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .notFound)),
            ("GET http://metrics HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .notFound)),
            ("POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .method)),
            ("get /metrics HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .method)),
            ("GET /metrics HTTP/2.0\r\n\r\n", .init(refusal: .version)),
            ("GET /metrics HTTP/1.10\r\n\r\n", .init(refusal: .version)),
            ("GET /metrics HTTP/1.1\r\n\r\n", .init(refusal: .malformed)),
            ("GET /metrics HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", .init(refusal: .malformed)),
            ("GET /metrics HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", .init(refusal: .malformed)),
            ("GET /metrics HTTP/1.1\r\nHost : x\r\n\r\n", .init(refusal: .malformed)),
            ("GET /metrics HTTP/1.1\r\nHost: x\r\n: y\r\n\r\n", .init(refusal: .malformed)),
            ("GET  /metrics HTTP/1.1\r\nHost: x\r\n\r\n", .init(refusal: .malformed)),
            ("GET /metrics\r\n\r\n", .init(refusal: .malformed)), ("\r\n\r\n", .init(refusal: .malformed)),
            ("\u{16}\u{3}\u{1}\n\n", .init(refusal: .malformed)),
            ("GET /metrics HTTP/1.1\r\nHost: x\r\n", nil), ("GET /metrics HTTP/1.1\r\nHost: x\r\n\r", nil), ("", nil),
        ] as [(String, ScrapeRequest.Outcome?)]
    )
    func request_isCheckedByItsHead(text: String, wanted: ScrapeRequest.Outcome?) {
        #expect(Self.outcome(text) == wanted, "\(text.debugDescription)")
    }

    @Test func request_whenTooLarge_isRefusedAndNotKept() {
        let head = "GET /metrics HTTP/1.1\r\nHost: x\r\nlong: "
        let fitting = head + String(repeating: "a", count: ScrapeRequest.mostBytes - head.utf8.count - 4) + "\r\n\r\n"
        #expect(fitting.utf8.count == ScrapeRequest.mostBytes)
        #expect(Self.outcome(fitting) == Self.page)
        #expect(
            Self.outcome(head + String(repeating: "a", count: ScrapeRequest.mostBytes)) == .init(refusal: .tooLarge)
        )
        var request = ScrapeRequest()
        var taken = 0
        while request.take([UInt8](repeating: 0x61, count: 100)) == nil { taken += 100 }
        #expect(taken <= ScrapeRequest.mostBytes)
    }

    /// However it is split, a request is parsed the same way, and at its last byte.
    @Test(arguments: Seeds.all)
    func request_whenItComesInPieces_isCheckedTheSame(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for text in [
            "GET /metrics HTTP/1.1\r\nHost: localhost\r\nAccept: text/plain\r\n\r\n", "GET / HTTP/1.0\n\n",
            "HEAD /metrics HTTP/1.1\nHost: a\r\n\n",
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
