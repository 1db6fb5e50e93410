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
        func retry(_ identity: NudgeIdentity, _ members: [NudgeIdentity], _ device: String, until: Instant?) -> Retry {
            Retry(
                identity: identity,
                members: members,
                validUntil: until,
                version: 9,
                attempt: until == nil ? 0 : 3,
                countedAt: members.count == 1 ? now : nil,
                left: [Retry.Left(deviceHash: device, notBefore: now, isRepeat: until == nil)]
            )
        }
        let checkIn = retry(.checkIn(slot), [.checkIn(slot)], hash(1), until: now)
        #expect(Retry.json([checkIn]).map(Retry.all) == [checkIn])
        let ids = [NudgeIdentity.message(UUID()), .message(UUID())]
        let digest = retry(.digest(of: ids[0]), ids, hash(1), until: nil)
        let both = try #require(Retry.json([checkIn, digest]))
        #expect(Retry.all(json: both) == [checkIn, digest] && Retry.knows(json: both))
        let message = retry(ids[0], [ids[0]], "ab", until: nil)
        #expect(Retry.json([message]).map(Retry.all) == [message])
        let all = [checkIn.keeping([]), message, digest.keeping([])]
        #expect(Retry.json(all).map(Retry.all) == all)
        // A newer version's: it must not be evaluated as if nothing had been tried, nor be written back without it.
        for newer in [both.replacing("attempt", with: "tries"), both.replacing("left", with: "later\":1,\"left"), "7"] {
            #expect(!Retry.knows(json: newer), "\(newer)")
        }
        #expect(Retry.json([]) == nil)
        #expect(Retry.all(json: "[]").isEmpty && Retry.all(json: "{").isEmpty && Retry.all(json: "[{}]").isEmpty)
    }

    /// Such a text can't be written back as it is, so it must not be kept.
    @Test(arguments: [#"a\"b"#, #"a\\b"#, #"a\u0000b"#]) func retry_whenANameNeedsAnEscape_isLeftOut(name: String) {
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
