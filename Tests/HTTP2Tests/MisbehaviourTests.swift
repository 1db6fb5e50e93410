import Certificates
import Dispatch
import HTTP2
import HTTP2Server
import OpenSSL
import TestSupport
import Testing

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct MisbehaviourTests {
    private static let accept: @Sendable (ServerRequest, ServerConnection) -> ServerReply = { _, _ in
        .respond(status: 200)
    }

    @Test func reset_whenStream() async throws {
        let pair = try Pair(Script { request, _ in .reset(code: request.path == "/t/1" ? 7 : 2) })
        pair.submit(1...2)
        #expect(await pair.results(2) == [1: .unsent(.refused), 2: .unknown(.reset(code: 2))])
    }

    @Test func window_whenWriteByPassesMeanwhile_bodyIsNotWritten() async throws {
        let opened = Observed<ServerConnection?>(nil)
        let pair = try Pair(
            Script(open: { connection in opened.change { $0 = connection } }, answer: Self.accept),
            server: { $0.initialWindowSize = 0 },
            client: { $0.pingInterval = 20 }
        )
        pair.submit(1...1, writeBy: boottime() + 60)
        // PINGs go on in an idle connection, so their number is a clock that both ends share.
        #expect(await eventually { pair.server.counters.pingsReceived >= 6 })
        opened.now?.perform(.window(65_535))
        #expect(await pair.results(1)[1] == .unsent(.tooLate))
        #expect(pair.script.seen.now.isEmpty)
    }

    @Test func response_whenHuge_isCut() async throws {
        let pair = try Pair(Script { _, _ in .respond(status: 500, body: [UInt8](repeating: 0x41, count: 1 << 20)) })
        pair.submit(1...3)
        for (_, result) in await pair.results(3) {
            guard case .response(let response) = result else { return fail("no response") }
            #expect(response.status == 500 && response.body.count == 65_536 && response.isTruncated)
        }
    }

    @Test func window_ofConnection_whenNeverUpdated() async throws {
        let pair = try Pair(
            Script(answer: Self.accept),
            server: { ($0.updatesWindows, $0.connectionWindowSize) = (false, 65_535) },
            client: { $0.requestDeadline = 1_000 }
        )
        pair.submit(1...20, body: 5_000)
        let results = await pair.results(20)
        #expect(results.values.count { $0.status == 200 } == 13)
        #expect(results.values.count { $0 == .unsent(.deadline) } == 7)
    }

    @Test func reading_whenServerStops_unreadAreDoubtfulAndRestUnsent() async throws {
        // Made first: an idle connection to this server ends by PING.
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
        let requests = (1...1_000).map { Request(tag: $0, body: body) }
        let pair = try Pair(
            Script(open: { $0.perform(.stopReading) }, answer: Self.accept),
            server: { ($0.initialWindowSize, $0.connectionWindowSize) = (1 << 30, 1 << 30) },
            client: {
                // A busy machine takes seconds to begin some, and some more to write one. The deadline comes first.
                $0.requestDeadline = 2_000
                $0.pingInterval = 8_000
                $0.pingTimeout = 500
            }
        )
        #expect(pair.client.submit(requests))
        let results = await pair.results(1_000)
        // The full socket keeps the queue from being begun; the unanswered PING ends it.
        #expect(await pair.closeReason()?.code == .pingTimeout)
        #expect(results.values.contains { $0 == .unknown(.deadline) })
        #expect(results.values.contains { $0 == .unsent(.connectionLost) })
        #expect(results.values.allSatisfy { $0.isUnsent || $0.isUnknown })
    }

    /// A server that is never started lets TCP connect and answers no handshake.
    @Test func close_whenStillDialling_isHeardAfterRequests() async throws {
        let leaf = try Pair.authority.get().issue(for: ["localhost"])
        let configuration = ServerConfiguration(leaf)
        let server = try Server(configuration: configuration, handler: Script(answer: Self.accept))
        var dialling = ClientConfiguration(host: "127.0.0.1", port: server.port)
        dialling.connectTimeout = 60_000
        let told = Observed(Pair.Told())
        let client = ClientConnection(configuration: dialling) { event in told.change { $0.note(event) } }
        client.start()
        // Not awaited but given: time for the thread to wait, be woken by the request, and wait again.
        let start = boottime()
        for tag in UInt64(1)...3 {
            #expect(await eventually { boottime() >= start + tag * 15 })
            client.submit([Request(tag: tag)])
        }
        #expect(await eventually { boottime() >= start + 60 })
        client.close()
        await told.wait { !$0.closed.isEmpty }
        #expect(told.now.closed.first?.code == .closed)
        #expect(told.now.results == [1: [.unsent(.closed)], 2: [.unsent(.closed)], 3: [.unsent(.closed)]])
    }

    /// The machine's name servers are silent: neither a close nor the deadline waits for the resolver.
    @Test(arguments: [true, false]) func resolver_whenItHangs_keepsNobodyWaiting(closes: Bool) async throws {
        let (asked, silence) = (Observed(0), DispatchSemaphore(value: 0))
        // Whatever happens: a resolver that hangs for ever would keep its thread.
        defer { silence.signal() }
        let pair = try Pair(
            Script(answer: Self.accept),
            resolver: { _ in
                asked.change { $0 += 1 }
                silence.wait()
                return ["127.0.0.1"]
            },
            client: { $0.connectTimeout = closes ? 60_000 : 200 }
        )
        pair.submit(1...1)
        await asked.wait { $0 == 1 }
        if closes { pair.client.close() }
        let reason = await pair.closeReason()
        #expect(reason?.code == (closes ? .closed : .resolve))
        #expect(closes || reason?.description.contains("resolve localhost") == true, "\(reason?.description ?? "")")
        #expect(await pair.results(1)[1] == .unsent(closes ? .closed : .connectionLost))
        #expect(pair.server.counters.accepted == 0)
    }

    @Test func goaway_whenMidFlight_exactlyThoseAboveAreUnsent() async throws {
        let pair = try Pair(
            Script { request, connection in
                if request.streamID == 39 { connection.perform(.goAway(lastStreamID: 19)) }
                return request.streamID <= 39 ? .delayed(.milliseconds(20), then: .respond(status: 200)) : .silence
            },
            client: { $0.maximumStreams = 20 }
        )
        pair.submit(1...30)
        let results = await pair.results(30)
        for tag in UInt64(1)...10 { #expect(results[tag]?.status == 200) }
        for tag in UInt64(11)...30 { #expect(results[tag] == .unsent(.goaway)) }
        #expect(await pair.closeReason()?.code == .goaway(code: 0))
    }

    @Test func goaway_whenStreamIsTheLastAndReset_isUnknown() async throws {
        let pair = try Pair(
            Script { request, connection in
                if request.streamID == 3 { connection.perform(.goAway(lastStreamID: 3)) }
                return .delayed(.milliseconds(20), then: .reset(code: 2))
            }
        )
        pair.submit(1...3)
        let results = await pair.results(3)
        for tag in UInt64(1)...2 { #expect(results[tag] == .unknown(.reset(code: 2))) }
        #expect(results[3]?.isUnsent == true)
    }

    @Test func writeBy_whenPassed() async throws {
        let pair = try Pair(Script(answer: Self.accept))
        pair.submit(1...2, writeBy: boottime() - 1)
        pair.submit(3...3, writeBy: boottime() + 60_000)
        let results = await pair.results(3)
        for tag in UInt64(1)...2 { #expect(results[tag] == .unsent(.tooLate)) }
        #expect(results[3]?.status == 200 && pair.script.seen.now == [3])
        let busy = try Pair(Script { _, _ in .silence }, client: { $0.maximumStreams = 1 })
        busy.submit(1...1)
        busy.submit(2...2, writeBy: boottime() + 30)
        #expect(await busy.results(1)[2] == .unsent(.tooLate), "it passes in the queue")
    }

    @Test func head_whenTooLong_isMalformed_andABodyMayBeEmpty() async throws {
        let pair = try Pair(Script(answer: Self.accept))
        var request = pair.request(1)
        request.fields.append(String(repeating: "c", count: 9_000))
        pair.client.submit([request, pair.request(2)])
        pair.submit(3...5, body: 0)
        let results = await pair.results(5)
        #expect(results[1] == .unsent(.malformed))
        for tag in UInt64(2)...5 { #expect(results[tag]?.status == 200, "the empty ones too") }
    }

    @Test func response_whenInformationalFirst() async throws {
        let answer = ServerReply.informational(status: 103, then: .respond(status: 200, body: Array("ok".utf8)))
        let pair = try Pair(Script { _, _ in answer })
        pair.submit(1...1)
        guard case .response(let response) = await pair.results(1)[1] else { return fail("no response") }
        #expect(response.status == 200 && response.body == Array("ok".utf8))
    }

    @Test func close_whenInFlight() async throws {
        let pair = try Pair(Script { _, _ in .silence }, client: { $0.maximumStreams = 5 })
        pair.submit(1...8)
        await pair.script.seen.wait { $0.count == 5 }
        pair.client.close()
        #expect(await pair.closeReason()?.code == .closed)
        let results = await pair.results(8)
        for tag in UInt64(1)...5 { #expect(results[tag] == .unknown(.closed)) }
        for tag in UInt64(6)...8 { #expect(results[tag] == .unsent(.closed)) }
    }
}
