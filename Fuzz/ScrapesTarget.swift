import Base

@testable import Metrics

/// Reads the input as a scrape request: in one piece, byte by byte, and in pieces whose sizes the first byte gives.
enum ScrapesTarget {
    static func run(_ input: UnsafeRawBufferPointer) -> Int32 {
        guard let head = input.first else { return -1 }
        let bytes = Array(input.dropFirst())
        let whole = outcome(bytes) { _ in bytes.count }
        require(outcome(bytes) { _ in 1 } == whole, "another answer byte by byte")
        let mixed = outcome(bytes) { place in 1 + (Int(head) &* 31 &+ place) % 97 }
        require(mixed == whole, "another answer in pieces")
        if let whole { check(whole, bytes) }
        let guarded = outcome(bytes, ScrapeRule(token: Secret(token), allowsNames: true)) { _ in bytes.count }
        let isShown = guarded.map { $0.refusal == nil } ?? false
        require(!isShown || bytes.contains(Array(token.utf8)), "the metrics without the token")
        return 0
    }

    private static let token = "a-token"

    /// The outcome of a request that comes in pieces. nil: more is awaited.
    private static func outcome(
        _ bytes: [UInt8],
        _ rule: ScrapeRule = ScrapeRule(),
        _ size: (Int) -> Int
    ) -> ScrapeRequest.Outcome? {
        var request = ScrapeRequest(rule)
        var outcome: ScrapeRequest.Outcome?
        var place = 0
        while outcome == nil, place < bytes.count {
            let end = min(place + max(size(place), 1), bytes.count)
            outcome = request.take(bytes[place..<end])
            place = end
        }
        // No member shows what it holds.
        let held = Mirror(reflecting: request).children.first { $0.label == "head" }?.value as? [UInt8]
        require((held?.count ?? .max) <= ScrapeRequest.mostBytes + 1, "a request that is kept")
        require(outcome != nil || bytes.count <= ScrapeRequest.mostBytes, "more is awaited after \(bytes.count) bytes")
        return outcome
    }

    private static func check(_ outcome: ScrapeRequest.Outcome, _ bytes: [UInt8]) {
        let page = Array("up 1\n".utf8)
        let answer = outcome.answer { page }
        let text = String(decoding: answer, as: UTF8.self)
        let head = text.prefix { $0 != "\n" && $0 != "\r\n" }
        let known = ["200 OK"] + ScrapeRefusal.allCases.map(\.rawValue)
        require(known.contains { head == "HTTP/1.1 \($0)" }, "answers \(head)")
        require(text.contains("\r\nconnection: close\r\n"), "keeps the connection")
        require(text.contains("up 1\n") == (outcome.refusal == nil && !outcome.isHead), "the page in a refusal")
        require(answer.count <= 1_000, "an answer of \(answer.count) bytes")
        guard outcome.refusal == nil else { return }
        let start = outcome.isHead ? "HEAD " : "GET "
        require(head == "HTTP/1.1 200 OK" && bytes.starts(with: start.utf8), "200 for another method")
        require(bytes.contains(Array("/metrics".utf8)), "200 for another page")
    }
}
