import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// How often the decision service was asked of a user.
@Suite(.ownThreads) struct AnalysesTests {
    @Test func analyses_whenTheMemberLives_areKept() async throws {
        let (fixture, member, users) = try await F.claimed()
        let user = users[0].userID
        #expect(try await fixture.store.analysed(user, member: member) == [])
        #expect(try await fixture.store.noteAnalysed(user, member: member, [F.now, F.now + 7]))
        #expect(try await fixture.store.analysed(user, member: member) == [F.now, F.now + 7])
        #expect(try await fixture.store.analysed(users[1].userID, member: member) == [])
        await fixture.close()
    }

    /// A consent may be withdrawn after the claim.
    @Test func preferences_whenTheyChangedSinceTheClaim_areThoseOfNow() async throws {
        let (fixture, _, users) = try await F.claimed(1...1)
        let user = users[0].userID
        func write(_ value: String) throws {
            try fixture.sql("update public.context_profiles set notification_preferences = \(value)")
        }
        try write(#"'{"smart_enabled": true}'"#)
        #expect(try await fixture.store.preferences(of: user) == #"{"smart_enabled": true}"#)
        try write("jsonb_build_object('smart_enabled', repeat('x', 70000))")
        #expect(try await fixture.store.preferences(of: user) == "\"longer than 65,536 characters\"")
        try write("null")
        #expect(try await fixture.store.preferences(of: user) == nil)
        #expect(try await fixture.store.preferences(of: F.user(9)) == nil)
        await fixture.close()
    }

    @Test func settlement_whenSomeWereDecided_keepsWhatWasSaidOfThem() async throws {
        let (fixture, member, users) = try await F.claimed()
        func record(_ user: ClaimedUser, _ decision: String?) -> DeliveryRecord {
            DeliveryRecord(
                userID: user.userID,
                kind: "check_in",
                key: "2026-11-20",
                slot: F.slot,
                deviceHash: "",
                outcome: .skipped,
                reason: "declined",
                attemptedAt: F.now,
                decision: decision
            )
        }
        let decision = #"{"by": "service", "notify": false}"#
        let settlement = Settlement(
            member: member,
            sweepID: UUID(),
            changes: [F.change(users[0], record(users[0], nil)), F.change(users[1], record(users[1], decision))]
        )
        _ = try await fixture.store.settle(settlement)
        #expect(
            try fixture.sql(
                "select coalesce(decision::text, 'none') from nudged.delivery order by decision nulls first"
            )
                == "none\n\(decision)"
        )
        let read = try await fixture.store.reading { reader in
            try await reader.deliveries(of: users[1].userID, from: F.now - 9, through: F.now + 9, limit: 9)
        }
        #expect(read.map(\.decision) == [decision])
        await fixture.close()
    }

    /// What a dead daemon had found to record beside its pushes, decisions included.
    @Test func recovery_whenAnIntentIsOpen_recordsWhatWasDecided() async throws {
        let (fixture, member, users) = try await F.claimed()
        let dropped = F.messageRecord(
            users[0],
            UUID(),
            .dropped,
            reason: "declined",
            apnsID: nil,
            decision: #"{"by": "service"}"#
        )
        let announced = F.announced(users[0], [F.record(users[0], .unknown, status: nil), dropped])
        _ = try await fixture.store.commit(F.intent(member, [announced]))
        try fixture.die()
        _ = try await fixture.store.recoverOrphans(limit: 9)
        #expect(
            try fixture.sql("select kind, decision->>'by' from nudged.delivery order by kind")
                == "check_in|\nmessage|service"
        )
        await fixture.close()
    }
}
