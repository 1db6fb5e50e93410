import HTTP2
import HTTP2Server
import TestSupport
import Testing

@Suite(.ownThreads) struct HappyTests {
    private static let echo: @Sendable (ServerRequest, ServerConnection) -> ServerReply = { request, _ in
        .respond(status: 200, headers: ["apns-id": request.headers["apns-id"] ?? "none"])
    }

    @Test func request_whenOne() throws {
        let pair = try Pair(Script(answer: Self.echo))
        var request = pair.request(7, body: 5)
        request.fields.append("collapse")
        pair.client.submit([request])
        guard case .response(let response) = pair.results(1)[7] else { throw Failure() }
        #expect(response.status == 200)
        #expect(response.headers["apns-id"] == "id-7")
        #expect(!response.isTruncated)
        let seen = pair.script.seen.now.requests
        #expect(seen.count == 1)
        #expect(seen[0].method == "POST")
        #expect(seen[0].path == "/t/7")
        #expect(seen[0].headers["apns-topic"] == "com.example.App")
        #expect(seen[0].headers["apns-collapse-id"] == "collapse")
        #expect(seen[0].headers[":authority"] == "localhost")
        #expect(seen[0].body == Array("xxxxx".utf8))
    }

    @Test func request_whenBodyIsEmpty() throws {
        let pair = try Pair(Script(answer: Self.echo))
        pair.submit(1...3, body: 0)
        #expect(pair.results(3).values.allSatisfy { $0.status == 200 })
    }

    @Test func requests_whenTenThousand() throws {
        let pair = try Pair(Script(answer: Self.echo), client: { $0.maximumStreams = 500 })
        for part in 0..<UInt64(20) { pair.submit(part * 500 + 1...part * 500 + 500) }
        let results = pair.results(10_000)
        #expect(results.count == 10_000)
        for (tag, result) in results {
            guard case .response(let response) = result else { throw Failure() }
            #expect(response.headers["apns-id"] == "id-\(tag)")
        }
        #expect(pair.script.seen.now.tags.count == 10_000)
        #expect(pair.server.counters.accepted == 1)
        #expect(pair.told.now.capacity == 500)
    }

    @Test func request_whenIPv6() throws {
        let pair = try Pair(Script(answer: Self.echo), server: { $0.address = "::1" })
        pair.submit(1...1)
        #expect(pair.results(1)[1]?.status == 200)
    }

    @Test func address_whenFirstRefuses_nextIsTried() throws {
        let pair = try Pair(Script(answer: Self.echo), resolver: { _ in ["127.0.0.2", "127.0.0.1"] })
        pair.submit(1...1)
        #expect(pair.results(1)[1]?.status == 200)
    }

    @Test func response_whenInformationalFirst() throws {
        let pair = try Pair(
            Script { _, _ in .informational(status: 103, then: .respond(status: 200, body: Array("ok".utf8))) }
        )
        pair.submit(1...1)
        guard case .response(let response) = pair.results(1)[1] else { throw Failure() }
        #expect(response.status == 200)
        #expect(response.body == Array("ok".utf8))
    }

    @Test func response_whenDelayed_slotsBoundTheRate() throws {
        let pair = try Pair(
            Script { _, _ in .respond(status: 200, after: .milliseconds(20)) },
            server: { $0.maxConcurrentStreams = 10 }
        )
        pair.submit(1...50)
        #expect(pair.results(50).values.allSatisfy { $0.status == 200 })
    }

    @Test func close_whenInFlight() throws {
        let pair = try Pair(Script { _, _ in .silence }, client: { $0.maximumStreams = 5 })
        pair.submit(1...8)
        #expect(pair.script.seen.wait { $0.tags.count == 5 })
        pair.client.close()
        #expect(pair.closeReason()?.code == .closed)
        let results = pair.results(8)
        for tag in UInt64(1)...5 { #expect(results[tag] == .unknown(.closed)) }
        for tag in UInt64(6)...8 { #expect(results[tag] == .unsent(.closed)) }
    }
}

struct Failure: Error {}
