import Fixtures
import APNs
import Policy
@testable import Core
import Testing
import TimeZones

import struct FoundationEssentials.UUID

/// What is left of nudges, as text.
@Suite struct PlannerRetryTests {
    typealias F = PlannerFixture
    private let planner = F.planner()
    private let slot = F.date("2026-11-20")
    private let now = F.at("2026-11-20T01:00:00Z")

    private func hash(_ number: Int) -> String { PushIdentity.deviceHash(token: F.token(number)) }

    @Test func take_whenSeveralFit_keepsUsersWhole() throws {
        let two = F.user(devices: [F.device(1), F.device(2)])
        let nudge = try #require(planner.plan(two, now: now).sendPlan)
        var pending = [nudge, nudge, nudge][...]
        #expect(SendPlan.take(upTo: 5, from: &pending).count == 2)
        #expect(pending.count == 1)
    }

    @Test func retry_whenWrittenAndRead_isEqual() throws {
        let retry = Retry(
            identity: .checkIn(slot),
            members: [.checkIn(slot)],
            validUntil: now,
            version: 9,
            attempt: 3,
            countedAt: now,
            left: [Retry.Left(deviceHash: hash(1), notBefore: now)]
        )
        #expect(Retry.json([retry]).map(Retry.all) == [retry])
        let ids = [UUID(), UUID()]
        let digest = Retry(
            identity: .digest(of: .message(ids[0])),
            members: [.message(ids[0]), .message(ids[1])],
            validUntil: nil,
            version: 9,
            attempt: 0,
            countedAt: nil,
            left: [Retry.Left(deviceHash: hash(1), notBefore: now, isRepeat: true)]
        )
        let both = try #require(Retry.json([retry, digest]))
        #expect(Retry.all(json: both) == [retry, digest] && Retry.knows(json: both))
        let message = Retry(
            identity: .message(ids[0]),
            members: [.message(ids[0])],
            validUntil: nil,
            version: 3,
            attempt: 0,
            countedAt: now,
            left: [Retry.Left(deviceHash: "ab", notBefore: now, isRepeat: true)]
        )
        #expect(Retry.json([message]).map(Retry.all) == [message])
        let all = [retry.keeping([]), message, digest.keeping([])]
        #expect(Retry.json(all).map(Retry.all) == all)
        // A newer version's: it must not be evaluated as if nothing had been tried, nor be written back without it.
        for newer in [both.replacing("attempt", with: "tries"), both.replacing("left", with: "later\":1,\"left"), "7"] {
            #expect(!Retry.knows(json: newer), "\(newer)")
        }
        #expect(Retry.json([]) == nil)
        #expect(Retry.all(json: "[]").isEmpty && Retry.all(json: "{").isEmpty && Retry.all(json: "[{}]").isEmpty)
    }

    /// Such a text can't be written back as it is, so it must not be kept.
    @Test(arguments: [#"a\"b"#, #"a\\b"#, #"a\u0000b"#])
    func retry_whenANameNeedsAnEscape_isLeftOut(name: String) {
        func json(key: String, members: String, device: String) -> String {
            #"[{"kind":"message","key":"\#(key)","members":[\#(members)],"version":1,"attempt":0,"#
                + #""left":[{"device":"\#(device)","not_before":"2026-11-20T01:00:00Z"}]}]"#
        }
        #expect(Retry.all(json: json(key: "digest:a", members: #""a""#, device: "b")).map(\.left.count) == [1])
        #expect(Retry.all(json: json(key: name, members: "", device: "b")).isEmpty)
        let rest = Retry.all(json: json(key: "digest:a", members: "\"\(name)\",\"a\"", device: name))
        #expect(rest.map(\.members) == [[NudgeIdentity(kind: .message, key: "a", slot: nil)]])
        #expect(rest.map(\.left.count) == [0])
    }
}
