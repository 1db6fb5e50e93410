import Base
import Synchronization
import TestSupport
import Testing

@testable import Configuration
@testable import Service

/// The calls, against a server that answers as it is told.
@Suite(.timeLimit(.minutes(10))) struct HeartbeatCallerTests {
    private static func caller(_ port: UInt16, interval: Duration = .milliseconds(1), _ news: Observed<[String?]>)
        throws -> HeartbeatCaller
    {
        let url = Secret("http://127.0.0.1:\(port)/planted-path")
        let settings = Configuration.Heartbeat(url: url, interval: interval, caFile: nil)
        return try HeartbeatCaller(settings) { said in news.change { $0.append(said) } }
    }

    /// Sweeps go on until it is so.
    private static func sweep(_ caller: HeartbeatCaller, until isSo: () -> Bool) async {
        _ = await eventually {
            caller.sweepWasGood()
            return isSo()
        }
    }

    @Test func calls_whenTheyFailAndAreAnsweredAgain_areNewsOnceAndNeverTheirPath() async throws {
        let status = Mutex(200)
        let server = try HTTPSServer(names: nil) { _ in HTTPSAct.answer(status.withLock { $0 }) }
        let news = Observed<[String?]>([])
        let caller = try Self.caller(server.port, news)
        await Self.sweep(caller) { server.seen.now.requests.count >= 2 }
        #expect(news.now.isEmpty && server.seen.now.requests.allSatisfy { $0.line == "GET /planted-path HTTP/1.1" })
        status.withLock { $0 = 404 }
        await Self.sweep(caller) { !news.now.isEmpty }
        let count = server.seen.now.requests.count
        await Self.sweep(caller) { server.seen.now.requests.count >= count + 3 }
        #expect(news.now == ["http://127.0.0.1:\(server.port) answers with status 404"])
        status.withLock { $0 = 204 }
        await Self.sweep(caller) { news.now.count > 1 }
        #expect(news.now.last == .some(nil))
        await caller.close()
    }

    /// A service that hangs holds nobody: the sweep's word is taken and nothing waits.
    @Test func call_whileTheServiceHangs_isTheOnlyOneAndEndsWithTheCaller() async throws {
        let server = try HTTPSServer(names: nil) { _ in [.hold] }
        let news = Observed<[String?]>([])
        let caller = try Self.caller(server.port, news)
        for _ in 0..<1000 { caller.sweepWasGood() }
        await server.seen.wait { $0.open == 1 }
        for _ in 0..<1000 { caller.sweepWasGood() }
        await caller.close()
        #expect(server.seen.now.requests.count == 1 && news.now.isEmpty)
        server.stop()
    }

    @Test func call_whenNobodyListens_isNewsWithoutThePath() async throws {
        let news = Observed<[String?]>([])
        let caller = try Self.caller(LoopbackClient.freePort(), news)
        caller.sweepWasGood()
        await news.wait { !$0.isEmpty }
        guard let text = news.now.first ?? nil else { return #expect(Bool(false), "no failure") }
        #expect(!text.contains("planted") && text.contains("127.0.0.1"), "\(text)")
        await caller.close()
    }

    @Test func authority_whenItCanNotBeRead_isAFault() {
        let url = Secret("https://a.example/")
        let settings = Configuration.Heartbeat(url: url, interval: .seconds(1), caFile: "/none")
        #expect(throws: ConfigurationFault.self) { _ = try HeartbeatCaller(settings) { _ in } }
    }
}
