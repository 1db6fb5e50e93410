import HTTP2
import HTTP2Server
import Certificates
import OpenSSL
import TestSupport
import Testing

@Suite(.ownThreads) struct MisbehaviourTests {
    private static let accept: @Sendable (ServerRequest, ServerConnection) -> ServerReply = { _, _ in
        .respond(status: 200)
    }

    /// A server that leaves every request in silence.
    private func silent(open: @escaping @Sendable (ServerConnection) -> Void = { _ in }) -> Script {
        Script(open: open) { _, _ in .silence }
    }

    @Test func settings_whenOneThenThousandAndDownAgain() throws {
        let pair = try Pair(
            Script { request, connection in
                if request.streamID == 1 { connection.perform(.streams(1_000)) }
                if request.streamID == 801 { connection.perform(.streams(1)) }
                // What crossed the lowered limit on the wire.
                if (803..<900).contains(request.streamID) { return .reset(code: 7) }
                return .respond(status: 200, after: .milliseconds(1))
            },
            server: { $0.maxConcurrentStreams = 1 }
        )
        pair.submit(1...1_000)
        let results = pair.results(1_000)
        #expect(pair.told.now.capacities == [1, 1_000, 1])
        for (_, result) in results { #expect(result.status == 200 || result == .unsent(.refused)) }
        #expect(results.values.count { $0.isUnsent } >= 48)
        #expect(pair.told.now.closed.isEmpty)
    }

    @Test func goaway_whenMidFlight_exactlyThoseAboveAreUnsent() throws {
        let pair = try Pair(
            Script { request, connection in
                if request.streamID == 39 {
                    connection.perform(.goAway(lastStreamID: 19, debug: #"{"reason":"Shutdown"}"#))
                }
                return request.streamID <= 39 ? .respond(status: 200, after: .milliseconds(20)) : .silence
            },
            client: { $0.maximumStreams = 20 }
        )
        pair.submit(1...30)
        let results = pair.results(30)
        for tag in UInt64(1)...10 { #expect(results[tag]?.status == 200) }
        for tag in UInt64(11)...30 { #expect(results[tag] == .unsent(.goaway)) }
        #expect(pair.closeReason()?.code == .goaway(code: 0))
        #expect(pair.told.now.goaways.first?.lastStreamID == 19)
        #expect(pair.told.now.goaways.first?.debug == #"{"reason":"Shutdown"}"#)
    }

    @Test func goaway_whenInTwoStages() throws {
        let pair = try Pair(
            Script { request, connection in
                if request.streamID == 1 { connection.perform(.shutdown(debug: "bye")) }
                return .respond(status: 200, after: .milliseconds(30))
            },
            client: { $0.maximumStreams = 10 }
        )
        pair.submit(1...15)
        let results = pair.results(15)
        for tag in UInt64(1)...10 { #expect(results[tag]?.status == 200) }
        for tag in UInt64(11)...15 { #expect(results[tag] == .unsent(.goaway)) }
        #expect(pair.closeReason()?.code == .goaway(code: 0))
        #expect(pair.told.now.goaways.map(\.lastStreamID) == [.max, 19])
    }

    @Test func silence_whenDeadlinePasses_slotIsFreed() throws {
        let pair = try Pair(
            Script { request, _ in request.path == "/t/1" ? .silence : .respond(status: 200) },
            client: {
                $0.maximumStreams = 1
                $0.requestDeadline = 1_000
            }
        )
        pair.submit(1...2)
        let results = pair.results(2)
        #expect(results[1] == .unknown(.deadline))
        #expect(results[2]?.status == 200)
        #expect(pair.server.counters.resetsReceived == 1)
    }

    @Test func reset_whenTCP_writtenAreUnknownAndQueuedUnsent() throws {
        let pair = try Pair(silent(), client: { $0.maximumStreams = 5 })
        pair.submit(1...9)
        #expect(pair.script.seen.wait { $0.tags.count == 5 })
        pair.script.seen.now.connections[0].perform(.resetTCP)
        #expect(pair.closeReason()?.code == .lost)
        let results = pair.results(9)
        for tag in UInt64(1)...5 { #expect(results[tag] == .unknown(.connectionLost)) }
        for tag in UInt64(6)...9 { #expect(results[tag] == .unsent(.connectionLost)) }
    }

    @Test func reset_whenStream() throws {
        let pair = try Pair(Script { request, _ in .reset(code: request.path == "/t/1" ? 7 : 2) })
        pair.submit(1...2)
        #expect(pair.results(2) == [1: .unsent(.refused), 2: .unknown(.reset(code: 2))])
    }

    @Test func window_whenZero_unwrittenIsUnsent() throws {
        let pair = try Pair(
            silent(),
            server: { $0.initialWindowSize = 0 },
            client: { $0.requestDeadline = 50 }
        )
        pair.submit(1...3)
        #expect(pair.results(3).values.allSatisfy { $0 == .unsent(.deadline) })
        #expect(pair.script.seen.now.tags.isEmpty)
    }

    @Test func window_whenOpenedLater_everyByteArrives() throws {
        let pair = try Pair(
            Script(open: { $0.perform(.window(100)) }, answer: Self.accept),
            server: { $0.initialWindowSize = 0 }
        )
        pair.submit(1...20, body: 4_096)
        #expect(pair.results(20).values.allSatisfy { $0.status == 200 })
        #expect(pair.script.seen.now.requests.allSatisfy { $0.body.count == 4_096 })
    }

    @Test func window_whenWriteByPassesMeanwhile_bodyIsNotWritten() throws {
        let opened = Watched<ServerConnection?>(nil)
        let pair = try Pair(
            Script(open: { connection in opened.change { $0 = connection } }, answer: Self.accept),
            server: { $0.initialWindowSize = 0 },
            client: { $0.pingInterval = 20 }
        )
        pair.submit(1...1, writeBy: boottime() + 60)
        // PINGs go on in an idle connection, so their number is a clock that both ends share.
        #expect(Poll.until { pair.server.counters.pingsReceived >= 6 })
        opened.now?.perform(.window(65_535))
        #expect(pair.results(1)[1] == .unsent(.tooLate))
        #expect(pair.script.seen.now.tags.isEmpty)
    }

    @Test func window_ofConnection_whenNeverUpdated() throws {
        let pair = try Pair(
            Script(answer: Self.accept),
            server: {
                $0.updatesWindows = false
                $0.connectionWindowSize = 65_535
            },
            client: { $0.requestDeadline = 1_000 }
        )
        pair.submit(1...20, body: 5_000)
        let results = pair.results(20)
        #expect(results.values.count { $0.status == 200 } == 13)
        #expect(results.values.count { $0 == .unsent(.deadline) } == 7)
    }

    @Test func reading_whenServerStops_unreadAreDoubtfulAndRestUnsent() throws {
        // Made first: an idle connection to this server ends by PING.
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 60_000)
        let requests = (1...1_000).map { Request(tag: $0, body: body) }
        let pair = try Pair(
            Script(open: { $0.perform(.stopReading) }, answer: Self.accept),
            server: {
                $0.initialWindowSize = 1 << 30; $0.connectionWindowSize = 1 << 30
            },
            client: {
                // Long enough for a busy machine to begin some.
                $0.requestDeadline = 2_000
                $0.pingInterval = 3_000
                $0.pingTimeout = 500
            }
        )
        #expect(pair.client.submit(requests))
        let results = pair.results(1_000)
        // The full socket keeps the queue from being begun; the unanswered PING ends it.
        #expect(pair.closeReason()?.code == .pingTimeout)
        #expect(results.values.contains { $0 == .unknown(.deadline) })
        #expect(results.values.contains { $0 == .unsent(.connectionLost) })
        #expect(results.values.allSatisfy { $0.isUnsent || $0.isUnknown })
    }

    @Test func certificate_whenUntrusted() throws {
        let other = try SelfSignedAuthority(name: "other")
        let pair = try Pair(Script(answer: Self.accept), trust: try CAFile(other.certificate))
        try refuses(pair, .certificate, "not trusted")
    }

    @Test func certificate_whenForAnotherHost() throws {
        try refuses(try Pair(Script(answer: Self.accept), names: ["example.org"]), .certificate, "does not match")
    }

    @Test func certificate_whenExpired() throws {
        try refuses(try Pair(Script(answer: Self.accept), notAfter: -60), .certificate, "has expired")
    }

    @Test func handshake_whenNoALPN() throws {
        let pair = try Pair(Script(answer: Self.accept), server: { $0.offersHTTP2 = false })
        try refuses(pair, .noHTTP2, "HTTP/2")
    }

    /// CBC, and no TLS 1.3.
    @Test func handshake_whenOnlyOldSuites() throws {
        let pair = try Pair(Script(answer: Self.accept), server: { $0.suites = "ECDHE-ECDSA-AES128-SHA" })
        try refuses(pair, .handshake, "the server must offer TLS 1.3, or TLS 1.2 with ECDHE and AES-GCM")
    }

    @Test func handshake_whenTLS12WithAEAD() throws {
        let pair = try Pair(Script(answer: Self.accept), server: { $0.suites = "ECDHE-ECDSA-AES128-GCM-SHA256" })
        pair.submit(1...3)
        #expect(pair.results(3).values.allSatisfy { $0.status == 200 })
    }

    private func refuses(_ pair: Pair, _ code: CloseReason.Code, _ text: String) throws {
        pair.client.submit([pair.request(1)])
        let reason = pair.closeReason()
        #expect(reason?.code == code)
        #expect(reason?.description.contains(text) == true, "\(reason?.description ?? "")")
        // A submission that came after the close was not taken, and has no completion.
        if let results = pair.told.now.results[1] { #expect(results == [.unsent(.connectionLost)]) }
        #expect(pair.script.seen.now.requests.isEmpty)
    }

    @Test func connection_whenNobodyListens() throws {
        let pair = try Pair(Script(answer: Self.accept), resolver: { _ in ["127.0.0.3"] })
        #expect(pair.closeReason()?.code == .connect)
    }

    /// A server that is never started lets TCP connect and answers no handshake.
    @Test func close_whenStillDialling_isHeardAfterRequests() throws {
        let leaf = try Pair.authority.get().issue(for: ["localhost"])
        let configuration = ServerConfiguration(certificate: .text(leaf.certificate), key: .text(leaf.key))
        let server = try Server(configuration: configuration, handler: Script(answer: Self.accept))
        var dialling = ClientConfiguration(host: "127.0.0.1", port: server.port)
        dialling.connectTimeout = 60_000
        let told = Watched(Pair.Told())
        let client = ClientConnection(configuration: dialling) { event in told.change { $0.note(event) } }
        client.start()
        // Not awaited but given: time for the thread to wait, be woken by the request, and wait again.
        let start = boottime()
        for tag in UInt64(1)...3 {
            #expect(Poll.until { boottime() >= start + tag * 15 })
            client.submit([Request(tag: tag)])
        }
        #expect(Poll.until { boottime() >= start + 60 })
        client.close()
        #expect(told.wait { !$0.closed.isEmpty })
        #expect(told.now.closed.first?.code == .closed)
        #expect(told.now.results == [1: [.unsent(.closed)], 2: [.unsent(.closed)], 3: [.unsent(.closed)]])
    }

    /// The machine's name servers are silent: neither a close nor the deadline waits for the resolver.
    @Test(arguments: [true, false]) func resolver_whenItHangs_keepsNobodyWaiting(closes: Bool) throws {
        let resolver = Watched((asked: 0, hangs: true))
        let pair = try Pair(
            Script(answer: Self.accept),
            resolver: { _ in
                resolver.change { $0.asked += 1 }
                _ = resolver.wait { !$0.hangs }
                return ["127.0.0.1"]
            },
            client: { $0.connectTimeout = closes ? 60_000 : 200 }
        )
        pair.submit(1...1)
        #expect(resolver.wait { $0.asked == 1 })
        if closes { pair.client.close() }
        let reason = pair.closeReason()
        #expect(reason?.code == (closes ? .closed : .resolve))
        #expect(closes || reason?.description.contains("resolve localhost") == true, "\(reason?.description ?? "")")
        #expect(pair.results(1)[1] == .unsent(closes ? .closed : .connectionLost))
        #expect(pair.server.counters.accepted == 0)
        resolver.change { $0.hangs = false }
    }

    @Test func resolver_isAskedAnew_atEachDial() throws {
        let asked = Watched(0)
        let pairs = try (1...3).map { _ in
            try Pair(
                Script(answer: Self.accept),
                resolver: { _ in
                    asked.change { $0 += 1 }
                    return ["127.0.0.2", "127.0.0.1", "::1"]
                }
            )
        }
        for (index, pair) in pairs.enumerated() {
            pair.submit(1...1)
            #expect(pair.results(1)[1]?.status == 200, "\(index)")
        }
        #expect(asked.now == 3)
    }

    @Test func goaway_whenStreamIsTheLastAndReset_isUnknown() throws {
        let pair = try Pair(
            Script { request, connection in
                if request.streamID == 3 { connection.perform(.goAway(lastStreamID: 3)) }
                return .reset(code: 2, after: .milliseconds(20))
            }
        )
        pair.submit(1...3)
        let results = pair.results(3)
        #expect(results[1] == .unknown(.reset(code: 2)))
        #expect(results[2] == .unknown(.reset(code: 2)))
        #expect(results[3]?.isUnsent == true)
    }

    @Test func close_whenBetweenRequests() throws {
        let pair = try Pair(Script(answer: Self.accept))
        pair.submit(1...1)
        #expect(pair.results(1)[1]?.status == 200)
        pair.script.seen.now.connections[0].perform(.close)
        #expect(pair.closeReason()?.code == .lost)
        #expect(!pair.client.submit([pair.request(2)]))
    }

    @Test func frames_whenGarbled() throws {
        // A frame of type HEADERS on a stream that can't be, with a nonsense block.
        let garbage: [UInt8] = [0, 0, 4, 1, 4, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
        let pair = try Pair(
            Script { _, connection in
                connection.perform(.garbage(garbage))
                return .silence
            }
        )
        pair.submit(1...1)
        #expect(pair.results(1)[1] == .unknown(.connectionLost))
        #expect(pair.closeReason()?.code == .protocolError)
    }

    @Test func ping_whenUnanswered() throws {
        let pair = try Pair(
            Script(answer: Self.accept),
            server: { $0.answersPings = false },
            client: {
                $0.pingInterval = 20
                $0.pingTimeout = 30
            }
        )
        #expect(pair.closeReason()?.code == .pingTimeout)
        #expect(Poll.until { pair.server.counters.pingsReceived == 1 })
    }

    @Test func ping_whenAnswered_connectionStays() throws {
        let pair = try Pair(
            Script(answer: Self.accept),
            client: {
                $0.pingInterval = 10
                $0.pingTimeout = 5_000
            }
        )
        #expect(Poll.until { pair.server.counters.pingsReceived >= 3 })
        pair.submit(1...1)
        #expect(pair.results(1)[1]?.status == 200)
    }

    @Test func response_whenHuge_isCut() throws {
        let pair = try Pair(Script { _, _ in .respond(status: 500, body: [UInt8](repeating: 0x41, count: 1 << 20)) })
        pair.submit(1...3)
        for (_, result) in pair.results(3) {
            guard case .response(let response) = result else { throw Failure() }
            #expect(response.status == 500)
            #expect(response.body.count == 65_536)
            #expect(response.isTruncated)
        }
    }

    @Test func response_whenItNeverEnds_statusCounts() throws {
        let pair = try Pair(
            Script { _, _ in .unfinished(status: 410, body: Array("{".utf8)) },
            client: { $0.requestDeadline = 1_000 }
        )
        pair.submit(1...1)
        guard case .response(let response) = pair.results(1)[1] else { throw Failure() }
        #expect(response.status == 410 && response.body == Array("{".utf8) && response.isTruncated)
    }

    @Test func writeBy_whenPassed() throws {
        let pair = try Pair(Script(answer: Self.accept))
        pair.submit(1...2, writeBy: boottime() - 1)
        pair.submit(3...3, writeBy: boottime() + 60_000)
        let results = pair.results(3)
        #expect(results[1] == .unsent(.tooLate))
        #expect(results[2] == .unsent(.tooLate))
        #expect(results[3]?.status == 200)
        #expect(pair.script.seen.now.tags == [3])
    }

    @Test func writeBy_whenItPassesInTheQueue() throws {
        let pair = try Pair(silent(), client: { $0.maximumStreams = 1 })
        pair.submit(1...1)
        pair.submit(2...2, writeBy: boottime() + 30)
        #expect(pair.results(1)[2] == .unsent(.tooLate))
    }

    @Test func head_whenTooLong_isMalformed() throws {
        let pair = try Pair(Script(answer: Self.accept))
        var request = pair.request(1)
        request.fields.append(String(repeating: "c", count: 9_000))
        pair.client.submit([request, pair.request(2)])
        let results = pair.results(2)
        #expect(results[1] == .unsent(.malformed))
        #expect(results[2]?.status == 200)
    }
}
