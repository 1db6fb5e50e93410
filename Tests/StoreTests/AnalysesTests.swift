import Policy
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
    }

    @Test func settlement_whenSomeWereDecided_keepsWhatWasSaidOfThem() async throws {
        let (fixture, member, users) = try await F.claimed()
        let decision = #"{"by": "service", "notify": false}"#
        let changes = zip(users, [nil, decision]).map { F.change($0, F.skipped($0, "declined", decision: $1)) }
        _ = try await fixture.store.settle(Settlement(member, changes))
        try fixture.expect(
            "select coalesce(decision::text, 'none') from nudged.delivery order by decision nulls first",
            "none\n\(decision)"
        )
        let read = try await fixture.store.reading { reader in
            try await reader.deliveries(of: users[1].userID, from: F.now - 9, through: F.now + 9, limit: 9)
        }
        #expect(read.map(\.decision) == [decision])
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
        try fixture.expect(
            "select kind, decision->>'by' from nudged.delivery order by kind",
            "check_in|\nmessage|service"
        )
    }
}
