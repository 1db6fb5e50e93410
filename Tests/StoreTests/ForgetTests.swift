import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// `nudged_api.forget`: no query finds the user, whatever was under way.
@Suite(.ownThreads) struct ForgetTests {
    /// Where a user is still found.
    private func traces(_ fixture: F, _ user: Int) throws -> [String] {
        let tables = try fixture.lines(
            """
            select format('select %L from nudged.%I t where t::text like %L', c.relname, c.relname, '%\(F.user(user).uuidString.lowercased())%')
            from pg_class c where c.relnamespace = 'nudged'::regnamespace and c.relkind = 'r'
            """
        )
        return try fixture.lines(tables.joined(separator: " union all "))
    }

    private func forget(_ fixture: F, _ user: Int) throws -> String {
        try fixture.sql(
            """
            begin;
            delete from public.push_tokens where user_id = \(F.quoted(user));
            delete from public.context_profiles where user_id = \(F.quoted(user));
            select (nudged_api.forget(\(F.quoted(user)))).done;
            commit;
            """
        )
    }

    @Test func forget_whenTheUserHasRowsEverywhere_leavesNone() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            insert into nudged.touched (user_id) select user_id from nudged.person;
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select user_id, 'check_in', 'x', '', 'skipped', at, gen_random_uuid()
            from nudged.person, unnest('{2020-01-01,2030-01-01}'::timestamptz[] || now()) at;
            """
        )
        // One change, the person, three days of the record, and what the app's own deletions append (two).
        #expect(try forget(fixture, 1) == "7")
        // A touch, since the user was due.
        #expect(try traces(fixture, 1) == ["touched"])
        #expect(try traces(fixture, 2).count == 5)
        try await fixture.drain()
        #expect(try traces(fixture, 1).isEmpty)
        #expect(try forget(fixture, 1) == "0")
    }

    /// A fan-out that pauses after a user goes on after them, and does not show who it was.
    @Test(arguments: [
        (F.quoted(2), "0000-4000-8000-000000000001"), (F.quoted(256), "0000-4000-8000-0000000000ff"),
        // Nobody is before that one, so it begins again.
        ("'00000000-0000-0000-0000-000000000000'", ""),
    ]) func forget_whenAFanOutPausesThere_leavesItsPlace(user: String, before: String) async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            """
            select nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'x', '', now() + interval '1 hour', audience => 'everyone');
            update nudged.occurrence set fan_out_after = \(user);
            select (nudged_api.forget(\(user))).done
            """
        )
        let place = try fixture.sql("select fan_out_after from nudged.occurrence")
        #expect(before.isEmpty ? place.isEmpty : place.hasSuffix(before), "\(place)")
    }

    @Test func settlement_whenOneOfItsUsersWasErased_recordsTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        _ = try forget(fixture, 2)
        #expect(try fixture.sql("select cardinality(user_ids), cardinality(contents) from nudged.intent") == "2|2")
        let settled = try await fixture.store.settle(Settlement(member, users.map { F.change($0, F.record($0)) }))
        #expect(settled.settled.count == 2)
        #expect(try fixture.sql("select count(*) from nudged.delivery where outcome = 'accepted'") == "2")
        #expect(try traces(fixture, 2) == ["touched"])
    }

    @Test func rests_whenTheirUsersWereErased_recordTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...4)
        _ = try forget(fixture, 1)
        _ = try forget(fixture, 3)
        let settled = try await fixture.store.settle(
            Settlement(member, users.map { F.change($0, F.record($0, .skipped, hash: "")) })
        )
        #expect(settled.settled.count == 2)
        try fixture.expect(
            "select user_id from nudged.delivery order by 1",
            [2, 4].map { F.user($0).uuidString.lowercased() }
        )
    }

    @Test func commit_whenTheUserWasErased_saysSoAndLeavesNothing() async throws {
        let (fixture, member, users) = try await F.claimed(1...2)
        _ = try forget(fixture, 1)
        let intent = F.intent(users, member: member)
        #expect(try await fixture.store.commit(intent).touched == [F.user(1)])
        _ = try await fixture.store.settle(
            Settlement(
                member: member,
                sweepID: intent.sweepID,
                changes: users.map { F.change($0, F.record($0)) },
                closed: [F.whole(intent)]
            )
        )
        #expect(try traces(fixture, 1) == ["touched"], "until the next drain")
        try await fixture.drain()
        #expect(try traces(fixture, 1).isEmpty)
    }

    /// Each waits for the other's transaction. In both orders the second finds nothing of the user, and there is no
    /// deadlock.
    @Test(.timeLimit(.minutes(10)), arguments: ["settle", "recover", "drain"])
    func forget_whenADaemonIsAtIt_winsWhoeverIsFirst(what: String)
        async throws
    {
        let (fixture, member, users) = try await F.claimed(1...2)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        if what == "recover" { try fixture.die() }
        if what == "drain" { try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person") }
        let eraser = try await fixture.connection()
        let ended = Flag()
        let waiting = try await eraser.transaction { transaction in
            try await transaction.execute(
                script:
                    "delete from public.push_tokens where user_id = \(F.quoted(1)); delete from public.context_profiles where user_id = \(F.quoted(1)); select (nudged_api.forget(\(F.quoted(1)))).done"
            )
            let daemon = Task {
                defer { ended.raise() }
                switch what {
                case "settle":
                    _ = try await fixture.store.settle(Settlement(member, users.map { F.change($0, F.record($0)) }))
                case "recover": _ = try await fixture.store.recoverOrphans(limit: 9)
                default: try await fixture.drain(9)
                }
            }
            // It waits for us, if only for a while.
            try await fixture.untilSomebodyWaits { ended.isRaised }
            return daemon
        }
        try await waiting.value
        if what == "recover" {
            fixture.store.claiming.with { $0.orphans = [:] }
            _ = try await fixture.store.recoverOrphans(limit: 9)
            #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
            #expect(try fixture.lines("select outcome from nudged.delivery") == ["unknown"])
        }
        await eraser.close()
        try await fixture.drain()
        #expect(try traces(fixture, 1).isEmpty, "\(what)")
        #expect(try fixture.sql("select deadlocks from pg_stat_database where datname = current_database()") == "0")
    }

    /// As it is when an erasure met the intent while it was being recovered: it still names the user.
    @Test func recover_whenAUserOfTheIntentIsGone_recordsTheOthers() async throws {
        let (fixture, member, users) = try await F.claimed(1...3)
        _ = try await fixture.store.commit(F.intent(users, member: member))
        try fixture.sql("delete from nudged.person where user_id = \(F.quoted(2)); delete from nudged.member")
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 2))
        #expect(try traces(fixture, 2).isEmpty)
    }

    @Test func drain_whenTheAppHasNothingOfTheUser_makesNoRow() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            select (nudged_api.forget(\(F.quoted(1)))).done, (nudged_api.forget(\(F.quoted(2)))).done;
            delete from public.push_tokens;
            delete from public.context_profiles where user_id = \(F.quoted(1));
            """
        )
        // Two of them say that users who may be in hand were erased.
        #expect(try fixture.sql("select count(*) from nudged.touched") == "5")
        #expect(try await fixture.drain(9) == 5)
        // The app's rows of the other stayed: they are a user.
        #expect(try fixture.sql("select user_id from nudged.person") == F.user(2).uuidString.lowercased())
    }
}
