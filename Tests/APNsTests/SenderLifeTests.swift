import COpenSSL
import HTTP2
import OpenSSL
import Locks
import TestSupport
import Testing

@testable import APNs

/// Connections that can't be made, tokens over time, new configurations, waiting and the end.
@Suite(.timeLimit(.minutes(1))) struct SenderLifeTests {
    private func isBackingOff(_ status: LaneStatus) -> Bool {
        if case .backingOff = status { true } else { false }
    }

    @Test func pushes_areUnsentAndTheLaneBacksOff_whenConnectionIsRefused() async throws {
        // Nothing listens at port 1.
        let rig = try SenderRig(configure: { $0.endpoint = .init(host: "127.0.0.1", port: 1) }) { _, _, _ in
            ScriptedApple.accepted
        }
        rig.send(1...3)
        for outcome in await rig.outcomes(3) {
            guard case .unsent = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        #expect(isBackingOff(rig.sender.status) && rig.sender.freeSlots == 0)
        rig.send(4...4)
        #expect(await rig.outcomes(4).count == 4)
        rig.clock.pass(60_000)
        #expect(rig.sender.freeSlots == 1)
        rig.send(5...5)
        _ = await rig.outcomes(5)
        let lost = rig.log.count { if case .connectionLost = $0 { true } else { false } }
        #expect(lost == 2, "\(rig.log)")
        await rig.end()
    }

    /// Scenario 13.
    @Test func noRequestIsWritten_whenCertificateIsNotTrusted() async throws {
        let rig = try SenderRig(trusted: false)
        rig.send(1...2)
        for outcome in await rig.outcomes(2) {
            guard case .unsent = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
        #expect(rig.apple.requests.isEmpty && isBackingOff(rig.sender.status))
        #expect(!rig.log.contains { if case .tokenMinted = $0 { true } else { false } })
        await rig.end()
    }

    @Test func token_changesOnTheSameConnection_after35Minutes() async throws {
        let rig = try SenderRig()
        for tag in 1...8 {
            rig.send(UInt64(tag)...UInt64(tag))
            _ = await rig.outcomes(tag)
            rig.clock.pass(10 * 60_000)
        }
        let tokens = rig.apple.requests.map(\.authorization)
        // At 0, 10, 20, 30 the first; at 40, 50, 60, 70 the second.
        #expect(Set(tokens[0...3]).count == 1 && Set(tokens[4...7]).count == 1 && tokens[3] != tokens[4])
        #expect(rig.apple.connections == 1)
        #expect(rig.log.count { if case .tokenMinted = $0 { true } else { false } } == 2)
        await rig.end()
    }

    @Test func lane_rests20Minutes_whenTooManyTokenUpdates() async throws {
        let rig = try SenderRig { _, _, index in
            index == 1 ? ScriptedApple.refused(429, "TooManyProviderTokenUpdates") : ScriptedApple.accepted
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...2)
        #expect(await rig.outcomes(2).last == .unsent(reason: "TooManyProviderTokenUpdates"))
        guard case .resting = rig.sender.status else {
            Issue.record("\(rig.sender.status)")
            return
        }
        rig.clock.pass(1_200_000)
        rig.send(3...3)
        #expect(await rig.outcomes(3).last == .accepted)
        #expect(rig.apple.connections == 1 && Set(rig.apple.requests.map(\.authorization)).count == 1)
        await rig.end()
    }

    @Test func newKey_isUsedOnANewConnection_afterReload() async throws {
        let rig = try SenderRig()
        rig.send(1...1)
        _ = await rig.outcomes(1)
        var next = rig.configuration
        next.keyID = "OTHER67890"
        next.signingKeyPEM = GeneratedKey.ellipticCurve(NID_X9_62_prime256v1)
        try rig.sender.reconfigure(next)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        let requests = rig.apple.requests
        #expect(requests.map(\.connection) == [1, 2] && requests[0].authorization != requests[1].authorization)
        await rig.end()
    }

    @Test func tokenStays_whenOnlyOtherSettingsChange() async throws {
        let rig = try SenderRig()
        rig.send(1...1)
        _ = await rig.outcomes(1)
        var next = rig.configuration
        next.maxInFlight = 7
        try rig.sender.reconfigure(next)
        rig.send(2...2)
        #expect(await rig.outcomes(2) == [.accepted, .accepted])
        #expect(rig.sender.freeSlots == 7)
        let requests = rig.apple.requests
        #expect(requests.map(\.connection) == [1, 2] && requests[0].authorization == requests[1].authorization)
        await rig.end()
    }

    @Test func oldKeyStays_whenTheNewOneIsNone() async throws {
        let rig = try SenderRig()
        var next = rig.configuration
        next.signingKeyPEM = "secret but no key"
        do {
            try rig.sender.reconfigure(next)
            Issue.record("taken")
        } catch {
            #expect(error.description.contains(".p8") && !error.description.contains("secret but"))
        }
        rig.send(1...1)
        #expect(await rig.outcomes(1) == [.accepted])
        await rig.end()
    }

    /// Scenario 12.
    @Test func drain_awaitsWhatIsInFlight_andTakesNothingNew() async throws {
        let held = Mutex<(ServerConnection, Int32)?>(nil)
        let arrived = Collected<Int>()
        let rig = try SenderRig { request, connection, index in
            guard index == 1 else { return ScriptedApple.accepted }
            held.withLock { $0 = (connection, request.stream) }
            arrived.append([index])
            return .silence
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...2)
        _ = await arrived.wait { !$0.isEmpty }
        async let drained: Void = rig.sender.drain(deadline: rig.clock.now + 5_000)
        await rig.status { $0 == .draining }
        rig.send(3...3)
        let answer = held.withLock { $0 }
        answer?.0.reply(ScriptedApple.accepted, to: answer?.1 ?? 0)
        await drained
        #expect(await rig.outcomes(3) == [.accepted, .accepted, .unsent(reason: "draining")])
    }

    @Test func drain_cutsOff_atItsDeadline() async throws {
        let arrived = Collected<Int>()
        let rig = try SenderRig { _, _, index in
            arrived.append([index])
            return index == 0 ? ScriptedApple.accepted : .silence
        }
        rig.send(1...1)
        _ = await rig.outcomes(1)
        rig.send(2...2)
        _ = await arrived.wait { $0.count == 2 }
        async let drained: Void = rig.sender.drain(deadline: rig.clock.now + 5_000)
        await rig.status { $0 == .draining }
        // The deadline's timer may be set just after the status was told: time passes until it was.
        while rig.resultCount < 2 {
            rig.clock.pass(5_000)
            await Task.yield()
        }
        await drained
        #expect(await rig.outcomes(2).last == .unknown(reason: "cut_off"))
    }

    @Test func waiting_ends_whenSlotsAreFree_orTimeIsOver_orTheTaskIsCancelled() async throws {
        let held = Mutex<(ServerConnection, Int32)?>(nil)
        let rig = try SenderRig(configure: { $0.maxInFlight = 1 }) { request, connection, index in
            held.withLock { $0 = (connection, request.stream) }
            return .silence
        }
        #expect(await rig.sender.waitForFreeSlots(atLeast: 50, until: rig.clock.now + 1_000) == 1)
        rig.send(1...1)
        #expect(await rig.sender.waitForFreeSlots(atLeast: 1, until: rig.clock.now) == 0)
        let cancelled = Task { await rig.sender.waitForFreeSlots(atLeast: 1, until: .max) }
        cancelled.cancel()
        #expect(await cancelled.value == 0)
        async let free = rig.sender.waitForFreeSlots(atLeast: 50, until: rig.clock.now + 60_000)
        while held.withLock({ $0 == nil }) { await Task.yield() }
        let answer = held.withLock { $0 }
        answer?.0.reply(ScriptedApple.accepted, to: answer?.1 ?? 0)
        #expect(await free == 1)
        await rig.end()
    }

    @Test func log_holdsNoSecret_whateverHappens() async throws {
        let rig = try SenderRig { _, connection, index in
            switch index {
            case 1: return ScriptedApple.refused(403, "ExpiredProviderToken")
            case 3: return ScriptedApple.refused(400, "MissingTopic")
            case 4:
                connection.goAway(lastStreamID: 1, debug: "{\"reason\":\"bad device ab12\"}")
                return .silence
            default: return ScriptedApple.accepted
            }
        }
        for tag in 1...5 {
            rig.send(UInt64(tag)...UInt64(tag))
            _ = await rig.outcomes(tag)
        }
        let lines = rig.log.map { "\($0)" } + rig.changes.map(\.words)
        let secrets = rig.apple.requests.flatMap { [$0.token, String($0.authorization.dropFirst(7))] }
        for line in lines {
            for secret in secrets + ["PRIVATE KEY", "ab12", "aps"] where secret != "aps" || line.contains("{\"aps") {
                #expect(!line.contains(secret))
            }
        }
        #expect(lines.count >= 5)
        await rig.end()
    }
}
