import Glibc
import HTTPClient
import LocalPostgres
import TestSupport
import Testing

@Suite(.ownThreads, .timeLimit(.minutes(10))) struct FailureTests {
    @Test func send_whenNobodyIsThere_isUnreachableOrUnresolved() async throws {
        let rig = try Rig()
        let dead = try #require(LoopbackPort())
        defer { withExtendedLifetime(dead) {} }
        func error(_ host: String) async throws -> HTTPClientError? {
            let request = HTTPRequest(get: try HTTPURL("https://\(host)/planted"))
            return await #expect(throws: HTTPClientError.self) { try await rig.client.send(request) }
        }
        let refused = try await error("127.0.0.1:\(dead.port)")
        #expect(refused.isClean(.unreachable) && refused?.description.hasSuffix(": Connection refused") == true)
        // A label is at most 63 long (RFC 1035, section 2.3.4): no name server is asked.
        #expect(try await error(String(repeating: "a", count: 64) + ".invalid").isClean(.unresolved))
    }

    @Test func send_whenTheServerIsSilent_endsAtTheDeadline() async throws {
        let rig = try Rig { _ in [.hold] }
        let start = ContinuousClock.now
        #expect(try await rig.failure(within: .milliseconds(300)).isClean(.timedOut))
        let took = ContinuousClock.now - start
        #expect(took >= .milliseconds(300) && took < .seconds(20))
        // Its connection is not kept.
        await rig.server.seen.wait { $0.left == 1 }
    }

    @Test func send_whenTheServerIsNotBelieved_isRefused() async throws {
        try await expectRefusal(try Rig(settings: { $0.caFile = nil }), .certificate, "is not trusted")
        try await expectRefusal(try Rig(names: ["other.example"]), .certificate, "is not for")
        try await expectRefusal(try Rig(notAfter: -3_600), .certificate, "has expired")
        try await expectRefusal(try Rig(notBefore: 3_600), .certificate, "is not valid yet")
        try await expectRefusal(try Rig(names: nil), .handshake)
    }

    /// CBC, and no TLS 1.3.
    @Test(arguments: ["ECDHE-ECDSA-AES128-SHA", "ECDHE-ECDSA-AES128-SHA256"])
    func send_whenTheServerHasNoAEAD_isHandshakeAndSaysWhatItNeeds(suite: String) async throws {
        let rig = try Rig(suites: suite)
        try await expectRefusal(rig, .handshake)
        #expect(try await rig.failure()?.description.contains("TLS 1.2 with ECDHE and AES-GCM") == true)
    }

    @Test func send_whenTheServerHasAEADOnly_isAnswered() async throws {
        let rig = try Rig(suites: "ECDHE-ECDSA-AES128-GCM-SHA256")
        #expect(try await rig.send().status == 200)
    }

    /// No request reaches a server that isn't believed.
    private func expectRefusal(_ rig: Rig, _ code: HTTPClientError.Code, _ text: String = "no TLS with") async throws {
        let error = try await rig.failure()
        let said = try #require(error).description
        #expect(error.isClean(code) && said.contains(text), "\(said)")
        #expect(rig.server.seen.now.requests.isEmpty)
    }

    @Test(arguments: [
        ([HTTPSAct.send("planted garbage\r\n\r\n"), .close], HTTPClientError.Code.malformed),
        ([.send("HTTP/7.5 200 planted\r\ncontent-length: 0\r\n\r\n")], .malformed),
        ([.close], .brokenOff),
        ([.send("HTTP/1.1 200 Word\r\ncontent-len"), .close], .brokenOff),
        ([.send("HTTP/1.1 200 Word\r\ncontent-length: 100\r\n\r\nplanted"), .close], .brokenOff),
        ([.send("HTTP/1.1 200 Word\r\ntransfer-encoding: chunked\r\n\r\nff\r\nplanted"), .close], .brokenOff),
        ([.send("HTTP/1.1 200 Word\r\ntransfer-encoding: chunked\r\n\r\nplanted\r\n"), .hold], .brokenOff),
    ]) func send_whenTheAnswerIsNone_fails(acts: [HTTPSAct], code: HTTPClientError.Code) async throws {
        let rig = try Rig { _ in acts }
        let error = try await rig.failure()
        #expect(error.isClean(code), "\(error?.description ?? "no error")")
    }

    @Test(arguments: [
        "content-length: 1048576\r\n\r\n", "\r\n", "transfer-encoding: chunked\r\n\r\n100000\r\n", "planted: ",
    ]) func send_whenTheAnswerIsHuge_isCutOff(fields: String) async throws {
        let rig = try Rig { _ in [.send("HTTP/1.1 200 Word\r\n\(fields)"), .fill(1_048_576), .hold] }
        let start = ContinuousClock.now
        let error = try await rig.failure()
        // Not when the deadline came.
        #expect(ContinuousClock.now - start < .seconds(30))
        // A single field without end is stopped by libcurl itself, at 100 KB.
        let code: HTTPClientError.Code = fields == "planted: " ? .resources : .tooLarge
        #expect(error.isClean(code), "\(error?.description ?? "no error")")
    }

    @Test func send_whenFieldsGoOnAndOn_isCutOff() async throws {
        let many = String(repeating: "field: planted\r\n", count: 5_000)
        let rig = try Rig { _ in [.send("HTTP/1.1 200 Word\r\n\(many)content-length: 0\r\n\r\n")] }
        #expect(try await rig.failure()?.code == .tooLarge)
    }

    @Test func send_whenTheAnswerJustFits_isTaken() async throws {
        let head = "HTTP/1.1 200 Word\r\ncontent-length: 1000\r\n\r\n".utf8.count
        let rig = try Rig(
            answer: { HTTPSAct.answer(200, String(repeating: "x", count: $0.body.count)) },
            settings: { $0.maximumAnswer = head + 1_000 }
        )
        #expect(try await rig.send(String(repeating: "y", count: 1_000)).body.count == 1_000)
        await #expect(throws: HTTPClientError.self) { try await rig.send(String(repeating: "y", count: 1_001)) }
    }

    @Test func trust_whenTheFileIsNone_isSaid() async throws {
        #expect(throws: HTTPClientError.self) { try Rig(settings: { $0.caFile = "/nonexistent/ca.pem" }) }
        let empty = try CAFile("no certificate")
        let rig = try Rig(settings: { $0.caFile = empty.path })
        let error = try #require(try await rig.failure())
        #expect(error.code == .trustFile && error.description.contains(empty.path))
    }

    /// In a process of its own with such an environment. (Changing one's own beside threads that read it may crash.)
    @Test(.enabled(if: getenv("NUDGED_PROXY_TEST") == nil)) func proxy_ofTheEnvironment_doesNotCount() async throws {
        let dead = try #require(LoopbackPort())
        defer { withExtendedLifetime(dead) {} }
        var environment = OwnProgram.environment
        environment["NUDGED_PROXY_TEST"] = "1"
        environment["https_proxy"] = "http://127.0.0.1:\(dead.port)"
        let arguments = OwnProgram.arguments + ["--filter", "process_whoseEnvironmentHasAProxy"]
        let run = try ChildProcess(arguments, environment: environment, output: .captured, error: .captured)
        #expect(await run.ended() == .code(0), "\(run.output)\(run.errorOutput)")
        _ = run.wait(.seconds(60))
        let said = run.output + run.errorOutput
        #expect(said.contains("with 1 test"), "\(said)")
    }

    /// Only for the test above.
    @Test(.enabled(if: getenv("NUDGED_PROXY_TEST") != nil)) func process_whoseEnvironmentHasAProxy() async throws {
        #expect(try await Rig().send().status == 200)
    }
}
