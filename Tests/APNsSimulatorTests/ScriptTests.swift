import Glibc
import HTTP2
import JSON
import Testing

@testable import APNsSimulator

@Suite struct ScriptTests {
    @Test func answer_whenTheScriptSaysSo() async throws {
        let pair = try SimulatorPair(perDevice: { token, attempt in
            switch (token, attempt) {
            case ("01", _): .unregistered(timestamp: 1_454_402_113_000)
            case ("02", _): .unregistered(timestamp: nil)
            case ("03", 1): .answer(status: 429, reason: "TooManyRequests", retryAfter: 7)
            case ("04", _): .rawBody(status: 502, bytes: Array("<html>".utf8))
            case ("05", _): .rawBody(status: 500, bytes: [])
            case ("06", _): .answer(status: 400, reason: "DeviceTokenNotForTopic")
            default: nil
            }
        })
        #expect(
            try await pair.send(token: "01").text == "410 {\"reason\":\"Unregistered\",\"timestamp\":1454402113000}"
        )
        #expect(try await pair.send(token: "02").text == "410 {\"reason\":\"Unregistered\"}")
        let limited = try await pair.send(token: "03")
        #expect(limited.text == "429 {\"reason\":\"TooManyRequests\"}")
        #expect(limited.response?.headers["retry-after"] == "7")
        #expect(try await pair.send(token: "03").text == "200 ")
        #expect(try await pair.send(token: "04").text == "502 <html>")
        #expect(try await pair.send(token: "05").text == "500 ")
        #expect(try await pair.send(token: "06").text == "400 {\"reason\":\"DeviceTokenNotForTopic\"}")
        let snapshot = pair.simulator.snapshot()
        #expect(snapshot.accepted.map(\.token) == ["03"])
        #expect(snapshot.accepted.first?.attempt == 2)
        #expect(snapshot.answered.map(\.status) == [410, 410, 429, 200, 502, 500, 400])
        #expect(snapshot.counts.byReason["Unregistered"] == 2)
        #expect(snapshot.counts.requests == 7)
        #expect(snapshot.counts.connections == 1)
    }

    @Test func streams_riseWithTheFirstAcceptedPush() async throws {
        let pair = try SimulatorPair(
            settings: { $0.streams = 37 },
            perDevice: { token, _ in token == "00" ? .answer(status: 400, reason: "BadDeviceToken") : nil }
        )
        _ = try await pair.send(token: "00")
        #expect(pair.capacities == [1])
        _ = try await pair.send()
        _ = try await pair.send()
        #expect(pair.capacities == [1, 37])
    }

    @Test func streams_whenTheConnectionNeverRaisesThem() async throws {
        let pair = try SimulatorPair(perConnection: { _ in ConnectionScript(raisesStreams: false) })
        _ = try await pair.send()
        _ = try await pair.send()
        #expect(pair.capacities == [1])
    }

    @Test func streams_whenTheyFallInMidBurst() async throws {
        let pair = try SimulatorPair(perDevice: { token, _ in token == "01" ? .doing(.streams(1), then: .accept) : nil }
        )
        _ = try await pair.send(token: "02")
        _ = try await pair.send(token: "01")
        _ = try await pair.send(token: "02")
        #expect(pair.capacities == [1, 1000, 1])
    }

    @Test func silence_endsInTheClientsDeadline() async throws {
        let pair = try SimulatorPair(
            perDevice: { _, attempt in attempt == 1 ? .silence : .accepted(then: .silence) },
            deadline: 300
        )
        #expect(try await pair.send().text == "unknown deadline")
        #expect(pair.simulator.counts.accepted == 0)
        #expect(try await pair.send().text == "unknown deadline")
        #expect(pair.simulator.counts.accepted == 1)
        #expect(pair.simulator.counts.byStatus == [0: 2])
    }

    @Test func reset_withTheScriptsCode() async throws {
        let pair = try SimulatorPair(perDevice: { token, _ in .reset(code: token == "01" ? 7 : 2) })
        #expect(try await pair.send(token: "01").text == "unsent refused")
        #expect(try await pair.send(token: "02").text == "unknown reset(code: 2)")
    }

    @Test(arguments: [ScriptedAnswer.closeTCP, .close])
    func connection_whenItIsCut(answer: ScriptedAnswer) async throws {
        let pair = try SimulatorPair(perDevice: { _, _ in answer })
        #expect(try await pair.send().text == "unknown connectionLost")
        #expect(pair.simulator.counts.accepted == 0)
    }

    @Test func delay_isHeldBack() async throws {
        let pair = try SimulatorPair(perDevice: { _, _ in
            .delay(.milliseconds(50), then: .delay(.milliseconds(50), then: .accept))
        })
        let start = ContinuousClock.now
        #expect(try await pair.send().text == "200 ")
        #expect(ContinuousClock.now - start >= .milliseconds(100))
    }

    @Test func goAway_whenTheStreamIsProcessed() async throws {
        let pair = try SimulatorPair(perDevice: { _, _ in .goAway(.afterThis, reason: "Shutdown", then: .accept) })
        #expect(try await pair.send().text == "200 ")
        #expect(pair.goaways.map(\.debug) == ["{\"reason\":\"Shutdown\"}"])
        #expect(pair.goaways.first?.last == 1)
        #expect(try await pair.send().text == "unsent closed" || pair.goaways.count == 1)
    }

    @Test func goAway_whenTheStreamIsNot() async throws {
        let pair = try SimulatorPair(perDevice: { _, _ in .goAway(.beforeThis, then: .silence) })
        #expect(try await pair.send().text == "unsent goaway")
        #expect(pair.simulator.counts.accepted == 0)
    }

    @Test func connectionScript_whenTheConnectionOpensOrCounts() async throws {
        let closed = try SimulatorPair(perConnection: { _ in ConnectionScript(atOpening: [.resetTCP]) })
        #expect(try await closed.send().text == "unsent connectionLost")
        #expect(closed.simulator.counts.requests == 0)

        let second = try SimulatorPair(perConnection: { number in
            number == 1 ? ConnectionScript(atRequest: [2: [.garbage([1, 2, 3]), .close]]) : nil
        })
        #expect(try await second.send().text == "200 ")
        let result = try await second.send()
        #expect(result.response == nil || result.text == "200 ")
        #expect(try await second.send().response == nil)

        let graceful = try SimulatorPair(perConnection: { _ in
            ConnectionScript(atRequest: [1: [.shutdown(reason: "Idle")]])
        })
        #expect(try await graceful.send().text == "200 ")
    }

    @Test func held_untilItIsReleased() async throws {
        let pair = try SimulatorPair(perDevice: { token, _ in
            switch token {
            case "01": .held(then: .accept)
            case "02": .accepted(then: .held(then: .answer(status: 500, reason: "InternalServerError")))
            default: nil
            }
        })
        // Until the first accepted push there is one stream only.
        _ = try await pair.send()
        async let first = pair.send(token: "01")
        async let second = pair.send(token: "02")
        #expect(await pair.simulator.wait(until: { $0.held == 2 }))
        #expect(pair.simulator.counts.accepted == 2)
        pair.simulator.release()
        #expect(try await first.text == "200 ")
        #expect(try await second.text == "500 {\"reason\":\"InternalServerError\"}")
        #expect(pair.simulator.counts.accepted == 3)
        #expect(pair.simulator.counts.held == 0)
        pair.simulator.release()
    }

    @Test func connection_whenItIsCutWhileAPushIsHeld() async throws {
        let pair = try SimulatorPair(perDevice: { _, _ in .held(then: .accept) })
        async let result = pair.send()
        #expect(await pair.simulator.wait(until: { $0.held == 1 }))
        pair.simulator.perform(.resetTCP)
        #expect(try await result.text == "unknown connectionLost")
        // Its connection is gone: the answer goes nowhere, and nothing breaks.
        pair.simulator.release()
    }

    @Test func connection_whenItIsClosedBetweenRequests() async throws {
        let pair = try SimulatorPair()
        #expect(try await pair.send().text == "200 ")
        pair.simulator.perform(.close)
        #expect(try await pair.send().response == nil)
    }

    @Test func script_whenItIsChanged() async throws {
        let pair = try SimulatorPair()
        #expect(try await pair.send().text == "200 ")
        let clock = pair.clock
        var settings = SimulatorSettings(keys: [])
        settings.checksProviderToken = false
        try pair.simulator.setScript(
            SimulatorScript(
                settings: settings,
                now: { clock.now },
                perDevice: { _, _ in .answer(status: 503, reason: "Shutdown") }
            )
        )
        #expect(try await pair.send().text == "503 {\"reason\":\"Shutdown\"}")
    }

    @Test func waiting_whenItComesAndWhenNot() async throws {
        let pair = try SimulatorPair()
        async let both = pair.simulator.waitUntil(accepted: 2)
        _ = try await pair.send()
        #expect(await pair.simulator.waitUntil(accepted: 2, within: .milliseconds(20)) == false)
        #expect(await pair.simulator.waitUntil(accepted: 1, within: .zero))
        _ = try await pair.send()
        #expect(await both)
        #expect(await pair.simulator.wait(until: { $0.byStatus[200] == 2 }))
    }

    @Test func recording_whenOnlyNumbersAreKept() async throws {
        let pair = try SimulatorPair(settings: { $0.recording = .counts })
        for _ in 0..<3 { _ = try await pair.send() }
        let snapshot = pair.simulator.snapshot()
        #expect(snapshot.counts.accepted == 3)
        #expect(snapshot.accepted.isEmpty && snapshot.answered.isEmpty)
    }

    @Test func logFile_hasALineForEachAcceptedPush() async throws {
        var template = Array("/tmp/nudged-simulator-XXXXXX".utf8CString)
        close(mkstemp(&template))
        let path = template.withUnsafeBufferPointer {
            String(decoding: $0.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        defer { unlink(path) }
        let pair = try SimulatorPair(settings: { $0.logPath = path })
        _ = try await pair.send(token: "01")
        _ = try await pair.send(["apns-collapse-id": nil], token: "02")
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let file = open(path, O_RDONLY)
        let count = read(file, &bytes, bytes.count)
        close(file)
        let lines = bytes[..<max(0, count)].split(separator: 10).map { try? JSONValue(parsing: $0) }
        #expect(lines.count == 2)
        #expect(lines.first??["token"] == .string("01"))
        #expect(lines.first??["payload"] == .string(String(decoding: SimulatorPair.payload, as: UTF8.self)))
        #expect(lines.first??["apns_id"] == .string("0e1d2c3b-4a59-6877-8695-a4b3c2d1e0f1"))
        #expect(lines.last??["collapse_id"] == .null)
        #expect(throws: SimulatorError.self) { try SimulatorPair(settings: { $0.logPath = "/nonexistent/log" }) }
    }

    @Test func many_areAllAccountedFor() async throws {
        let pair = try SimulatorPair()
        let count = 2_000
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<count {
                let digits = String(number, radix: 16)
                let token = String(repeating: "0", count: 8 - digits.count) + digits
                group.addTask { try await pair.send(token: token).text }
            }
            return try await group.reduce(into: [:] as [String: Int]) { $0[$1, default: 0] += 1 }
        }
        #expect(answers == ["200 ": count])
        let accepted = pair.simulator.snapshot().accepted
        #expect(Set(accepted.map(\.token)).count == count)
    }
}
