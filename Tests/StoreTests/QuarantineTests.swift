import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged.person.quarantine`: what writes it, what a claim reads, what lifts it.
@Suite(.ownThreads) struct QuarantineTests {
    private static let hash = "left(encode(sha256(convert_to(device_token, 'UTF8')), 'hex'), 16)"

    private func refused(
        _ fixture: F,
        _ user: Int,
        environment: String = "sandbox",
        reason: String = "BadDeviceToken"
    ) throws -> RefusedDevice {
        let row = try fixture.sql(
            "select \(Self.hash), extract(epoch from updated_at) * 1000000 from public.push_tokens where user_id = \(F.quoted(user))"
        ).split(separator: "|")
        return RefusedDevice(
            userID: F.user(user),
            deviceHash: String(row[0]),
            environment: environment,
            topic: "com.example.app",
            registration: Int64(row[1].split(separator: ".")[0]),
            at: F.now,
            reason: reason
        )
    }

    @Test func quarantine_whenWritten_makesItsUserDueAndTouchesThem() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql("update nudged.person set due_at = '2027-01-01'")
        try await fixture.store.quarantine([try refused(fixture, 1)], now: F.now)
        #expect(try fixture.sql("select user_id, reason from nudged.quarantined").hasSuffix("|BadDeviceToken"))
        let users = try await fixture.claim()
        #expect(users.map(\.userID) == [F.user(1)])
        #expect(try await fixture.store.isTouched(F.user(1)))
        #expect(users[0].quarantine?.contains("com.example.app") == true)
    }

    /// A plan from before the quarantine is not sent.
    @Test func intent_whenAQuarantineCameMeanwhile_isWithdrawn() async throws {
        let (fixture, member, users) = try await F.claimed(1...1)
        try await fixture.store.quarantine([try refused(fixture, 1)], now: F.now)
        #expect(try await fixture.store.commit(F.intent(users, member: member)).touched == [F.user(1)])
    }

    @Test func quarantine_whenSeveralCome_keepsTheNewestOfEachDeviceAndLane() async throws {
        let fixture = try await F.withUsers(1...1)
        let store = fixture.store
        try await store.quarantine([try refused(fixture, 1, reason: "BadDeviceToken")], now: F.now)
        try await store.quarantine([try refused(fixture, 1, environment: "production")], now: F.now)
        try await store.quarantine([try refused(fixture, 1, reason: "DeviceTokenNotForTopic")], now: F.now)
        try fixture.expect(
            "select environment, reason from nudged.quarantined order by 1",
            ["production|BadDeviceToken", "sandbox|DeviceTokenNotForTopic"]
        )
    }

    /// Where a token works is known for ever. Its own lane's window, which closes later, changes nothing.
    @Test func quarantine_whenTheDeviceHasMoved_leavesItAlone() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            update nudged.person p set quarantine = jsonb_build_array(jsonb_build_object(
                'device', left(encode(sha256(convert_to(device_token, 'UTF8')), 'hex'), 16), 'environment', 'sandbox',
                'topic', 'com.example.app', 'registered_at', 1, 'at', '2026-11-20T12:00:00Z', 'reason', 'BadDeviceToken', 'state', 'moved'))
            from public.push_tokens t where t.user_id = p.user_id and p.user_id = \(F.quoted(1))
            """
        )
        let devices = [try refused(fixture, 1), try refused(fixture, 2)]
        let known = try await fixture.store.quarantine(devices, now: F.now)
        #expect(known[F.user(1)]?.contains("moved") == true && known[F.user(2)] == "[]")
        #expect(try fixture.lines("select user_id from nudged.quarantined") == [F.user(2).uuidString.lowercased()])
    }

    /// A suspicion that is settled after the window has closed does not weaken the quarantine. A new registration has
    /// no entry yet.
    @Test(arguments: [(5, "quarantine"), (6, "suspected")])
    func suspicion_whenTheDeviceHasAnEntry_isIgnored(registration: Int, expected: String) async throws {
        let fixture = try await F()
        let entry = #"{"device": "a", "environment": "sandbox", "topic": "t", "at": "x", "reason": "BadDeviceToken", "#
        let merged = try fixture.sql(
            """
            select string_agg(coalesce(e ->> 'state', 'quarantine'), ',')
            from jsonb_array_elements(nudged.merged_quarantine(
                '[\(entry)"registered_at": 5}]', '[\(entry)"registered_at": \(registration), "state": "suspected"}]')) e
            """
        )
        #expect(merged == expected)
    }

    @Test func quarantine_isBounded() async throws {
        let fixture = try await F.withUsers(1...1)
        for round in 0..<3 {
            let devices = (0..<60).map { number in
                RefusedDevice(
                    userID: F.user(1),
                    deviceHash: "\(round)-\(number)",
                    environment: "sandbox",
                    topic: "com.example.app",
                    registration: nil,
                    at: F.now,
                    reason: "BadDeviceToken"
                )
            }
            try await fixture.store.quarantine(devices, now: F.now)
        }
        #expect(try fixture.sql("select jsonb_array_length(quarantine) <= 160 from nudged.person") == "t")
    }

    /// Another registration lifts it, by whatever clock; and its user is asked, which a mere updated_at otherwise never does.
    @Test(arguments: ["updated_at = '2031-01-01'", "updated_at = '2026-01-02'", "created_at = '2026-02-01'"])
    func registration_whenInQuarantine_liftsItAndTouches(change: String) async throws {
        let fixture = try await F.withUsers(1...2)
        try await fixture.store.quarantine([try refused(fixture, 1)], now: F.now)
        try fixture.sql("truncate nudged.touched; update public.push_tokens set \(change)")
        #expect(try fixture.lines("select user_id from nudged.touched") == [F.user(1).uuidString.lowercased()])
        #expect(try fixture.sql("select count(*) from nudged.quarantined") == "0")
    }

    @Test func view_whenARowIsSpoiltOrItsDeviceMoved_showsWhatHolds() async throws {
        let fixture = try await F.withUsers(1...3)
        try await fixture.store.quarantine([try refused(fixture, 1), try refused(fixture, 2)], now: F.now)
        try fixture.sql(
            """
            update nudged.person set quarantine = '"x"' where user_id = \(F.quoted(3));
            update nudged.person set quarantine = quarantine || '[7, {"registered_at": "abc", "at": "never"}]' where user_id = \(F.quoted(2));
            update public.push_tokens set environment = 'production' where user_id = \(F.quoted(1))
            """
        )
        #expect(try fixture.lines("select user_id from nudged.quarantined") == [F.user(2).uuidString.lowercased()])
    }

    @Test func view_whenRegistrationsAreInfinite_canBeRead() async throws {
        let fixture = try await F.withUsers(1...1)
        var device = try refused(fixture, 1)
        device = RefusedDevice(
            userID: device.userID,
            deviceHash: device.deviceHash,
            environment: "sandbox",
            topic: "com.example.app",
            registration: nil,
            at: F.now,
            reason: device.reason
        )
        try await fixture.store.quarantine([device], now: F.now)
        try fixture.sql("update public.push_tokens set created_at = 'infinity', updated_at = '-infinity'")
        #expect(try fixture.sql("select count(*) from nudged.quarantined") == "1")
    }
}
