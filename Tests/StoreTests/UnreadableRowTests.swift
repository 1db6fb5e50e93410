import Policy
import TestSupport
import Testing
import TimeZones

@testable import Core

/// Bad data harms its own row (docs/GUARANTEES.md, promise 7).
@Suite(.ownThreads) struct UnreadableRowTests {
    @Test(arguments: ["-infinity", "infinity", "294270-01-01", "4713-01-01 BC"])
    func claim_whenADeviceHasAnImpossibleInstant_readsItAsNone(instant: String) async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            "update public.push_tokens set created_at = '\(instant)', updated_at = '\(instant)' where user_id = \(F.quoted(1))"
        )
        let users = try await fixture.claim()
        #expect(users.map(\.userID) == [F.user(1), F.user(2)])
        #expect(users[0].devices.map(\.registeredAt) == [nil])
        #expect(users[1].devices.map(\.registeredAt) != [nil])
    }

    @Test(arguments: ["since", "evaluated_at", "touched_at"])
    func claim_whenARowHoldsAnInfinity_readsItAsNone(column: String) async throws {
        let fixture = try await F.withUsers(1...1)
        for infinity in ["-infinity", "infinity"] {
            try fixture.sql("update nudged.person set \(column) = '\(infinity)'")
            #expect(try await fixture.claim().count == 1)
        }
    }

    @Test(
        arguments: ["created_at", "expires_at"],
        ["-infinity", "infinity", "294276-12-31 23:59:59.999999", "4713-01-01 BC"]
    ) func claim_whenAMessageHasAnImpossibleInstant_readsTheNearest(column: String, instant: String) async throws {
        let fixture = try await F.withUsers(1...2)
        let odd = try fixture.sendMessage(1)
        let plain = try fixture.sendMessage(2)
        try await fixture.drain()
        try fixture.sql("update nudged.message set \(column) = '\(instant)' where id = '\(odd)'")
        let users = try await fixture.claim()
        let messages = users.flatMap(\.messages)
        #expect(Set(messages.map(\.id)) == [odd, plain])
        let isEarly = instant.hasPrefix("-") || instant.hasSuffix("BC")
        let read = messages.first { $0.id == odd }
        let nearest = Instant(rfc3339: isEarly ? "1970-01-01T00:00:00Z" : "9999-12-31T23:59:59Z")
        #expect(column == "expires_at" ? read?.expiresAt == nearest : read?.createdAt == nearest)
    }

    @Test func claim_whenARowCanNotBeRead_servesTheOthersAndSetsItAside() async throws {
        let fixture = try await F.withUsers(1...3)
        try fixture.sql("update nudged.person set state = '\\x01ff' where user_id = \(F.quoted(2))")
        var refused: [Refusal] = []
        let member = try await fixture.member()
        let found = try await fixture.store.claim(ranges: F.ranges, now: F.now, limit: 9) { refused.append($0) }
        #expect(found.users.map(\.userID) == [F.user(1), F.user(3)] && found.isComplete)
        #expect(refused.map(\.userID) == [F.user(2)] && refused.first?.column == "nudged.person.state")
        try await fixture.store.postpone(
            refused.map { Postponement(userID: $0.userID, version: nil, until: F.now + 86_400) },
            member: member
        )
        var again: [Refusal] = []
        _ = try await fixture.store.claim(ranges: F.ranges, now: F.now, limit: 9) { again.append($0) }
        #expect(again.isEmpty)
    }

    @Test func schemaState_whenRowSecurityHidesEverybody_saysSo() async throws {
        let fixture = try await F.withUsers(1...1)
        let role = "other_\(fixture.name)"
        try fixture.sql(
            """
            create role \(role) login; grant usage on schema nudged to \(role);
            grant all on all tables in schema nudged to \(role);
            """
        )
        let other = Migrator(configuration: try .parse(url: fixture.cluster.url(database: fixture.name, user: role)))
        #expect(try await other.schemaState() == .hidden)
        await other.close()
        let owner = Migrator(configuration: fixture.configuration)
        #expect(try await owner.schemaState() == .current)
        await owner.close()
        try fixture.sql("drop owned by \(role); drop role \(role)")
    }
}
