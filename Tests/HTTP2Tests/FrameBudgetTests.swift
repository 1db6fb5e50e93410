import HTTP2Server
import TestSupport
import Testing

@testable import HTTP2

/// What a server may send that answers no request.
@Suite struct FrameBudgetTests {
    private enum Kind: UInt8 { case data = 0, headers = 1, settings = 4, ping = 6, windowUpdate = 8, unknown = 0xEE }

    private func frame(_ kind: Kind, _ length: Int = 0) -> [UInt8] {
        let size = [UInt8(length >> 16), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)]
        return size + [kind.rawValue, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: length)
    }

    private func pay(_ budget: inout FrameBudget, _ bytes: [UInt8]) { bytes.withUnsafeBytes { budget.pay(for: $0) } }

    @Test func budget_whenFramesAreEmpty_isEnoughForThirtyThousand() {
        var budget = FrameBudget()
        let thousand = [[UInt8]](repeating: frame(.unknown), count: 1_024).flatMap(\.self)
        for _ in 0..<32 { pay(&budget, thousand) }
        #expect(budget.left == 0)
        pay(&budget, frame(.data))
        #expect(budget.left < 0)
    }

    /// A header block of one byte for each field is the dearest to read.
    @Test func budget_whenHeaderBlocksAreLong_isEnoughForAQuarterOfAMegabyte() {
        var budget = FrameBudget()
        for _ in 0..<15 { pay(&budget, frame(.headers, 16_384)) }
        #expect(budget.left > 0)
        pay(&budget, frame(.headers, 16_384))
        #expect(budget.left < 0)
    }

    @Test(arguments: [(900, false), (2_000, true)])
    func budget_whenFramesKeepComing_refillsWithTime(perSecond: Int, isExhausted: Bool) {
        var budget = FrameBudget()
        let frames = [[UInt8]](repeating: frame(.data), count: perSecond).flatMap(\.self)
        for time in 1...60 {
            budget.refill(now: UInt64(time) * 1_000)
            pay(&budget, frames)
        }
        #expect((budget.left < 0) == isExhausted, "\(budget.left)")
    }

    /// Each answer and the updates of both windows come in a TLS record each. Beside them: PING and SETTINGS.
    @Test func budget_whenTenThousandPushesASecondAreAnswered_isNeverHalfSpent() {
        var budget = FrameBudget()
        var received: UInt64 = 0
        var least = budget.left
        func take(_ bytes: [UInt8]) {
            received += UInt64(bytes.count) + 29
            budget.pay(received: received)
            pay(&budget, bytes)
        }
        let (answer, update) = (frame(.headers, 100), frame(.windowUpdate, 4))
        for time in 1...10_000 {
            budget.refill(now: UInt64(time))
            for _ in 0..<10 {
                take(update)
                take(update)
                take(answer)
                budget.requestEnded()
            }
            if time % 1_000 == 0 {
                take(frame(.ping, 8))
                take(frame(.settings, 36))
            }
            least = min(least, budget.left)
        }
        #expect(least > FrameBudget.most / 2, "\(least)")
    }

    /// A server may take a thousand requests before it answers one.
    @Test func budget_whenAThousandRequestsWait_isNotHalfSpent() {
        var budget = FrameBudget()
        for _ in 0..<2_000 { pay(&budget, frame(.windowUpdate, 4)) }
        budget.pay(received: 2_000 * (13 + 29))
        #expect(budget.left > FrameBudget.most / 2, "\(budget.left)")
    }

    /// The last frame is longer than any that is allowed.
    @Test func frames_whenTheyComeInPieces_costTheSame() {
        let frames = frame(.headers, 300) + frame(.data, 160) + frame(.ping, 8) + frame(.data) + frame(.unknown, 70_000)
        var whole = FrameBudget()
        pay(&whole, frames + frame(.settings))
        #expect(whole.left == FrameBudget.most - 6 * FrameBudget.fixedCost - 300 - 10 - 8 - 16_384)
        for size in [1, 2, 3, 7, 8, 9, 10, 100, 16_384] {
            var budget = FrameBudget()
            var rest = (frames + frame(.settings))[...]
            while !rest.isEmpty {
                pay(&budget, Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(budget.left == whole.left, "\(size)")
        }
    }

    /// A byte of data in each record, and messages of TLS without data.
    @Test func budget_whenTLSAddsMost_isSpent() {
        var budget = FrameBudget()
        var received: UInt64 = 0
        for _ in 0..<20_000 {
            received += 23
            budget.pay(received: received)
            pay(&budget, [0])
        }
        #expect(budget.left < 0)
        var keys = FrameBudget()
        keys.pay(received: 131_072 + UInt64(FrameBudget.most))
        #expect(keys.left == 0)
        keys.pay(received: 131_073 + UInt64(FrameBudget.most))
        #expect(keys.left < 0)
    }
}

/// Servers with a certificate that counts, which send without end what answers nothing.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct FloodTests {
    /// As in RFC 9113, section 6. Where a stream is needed, it is the first.
    private static let floods: [String: [UInt8]] = [
        // ":status: 103" (RFC 7541, section 6.2.2).
        "informational": [0, 0, 5, 1, 4, 0, 0, 0, 1, 0x08, 3, 0x31, 0x30, 0x33],
        "window update": [0, 0, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1], "empty data": [0, 0, 0, 0, 0, 0, 0, 0, 1],
        "priority": [0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 0, 15], "settings": [0, 0, 0, 4, 0, 0, 0, 0, 0],
        "ping": [0, 0, 8, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "unknown": [0, 0, 0, 0xEE, 0, 0, 0, 0, 0],
    ]

    @Test(arguments: floods.keys.sorted()) func connection_whenTheServerFloodsIt_isClosed(flood: String) async throws {
        let frame = try #require(Self.floods[flood])
        let frames = [[UInt8]](repeating: frame, count: 65_536).flatMap(\.self)
        let pair = try Pair(
            Script { _, connection in
                // Else the answers to PING and SETTINGS would end the server.
                connection.perform(.stopReading)
                connection.perform(.garbage(frames))
                return flood == "empty data" ? .unfinished(status: 200) : .silence
            }
        )
        pair.submit(1...1)
        let reason = await pair.closeReason()
        #expect(reason?.code == .flooded)
        #expect(reason?.description.contains("localhost sends HTTP/2 frames without end") == true, "\(flood)")
        // An answer's status counts even without its end.
        let result = try #require(await pair.results(1)[1])
        #expect(flood == "empty data" ? result.status == 200 : result == .unknown(.connectionLost), "\(result)")
    }
}
