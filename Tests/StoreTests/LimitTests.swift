import LocalPostgres
import TestSupport
import Testing

@testable import Core

/// How much one user can have waiting (nudged.setting).
@Suite(.ownThreads) struct LimitTests {
    /// The SQLSTATE of a statement; 00000 where it is carried out.
    private func state(_ statement: String, _ fixture: F) throws -> String {
        try fixture.sql(
            """
            do $do$ begin
                execute $statement$ \(statement) $statement$;
                perform set_config('test.state', '00000', false);
            exception when others then perform set_config('test.state', sqlstate, false);
            end $do$;
            select current_setting('test.state')
            """
        )
    }

    @Test func send_whenTooManyWait_isRefusedUntilOneEnds() async throws {
        let fixture = try await F()
        try fixture.sql("update nudged.setting set max_messages = 3")
        try fixture.sql(
            "select (nudged_api.send(\(F.quoted(1)), 'a', 'b', dedupe_key => 'k' || n)).id from generate_series(1, 3) n"
        )
        #expect(try state("select (nudged_api.send(\(F.quoted(1)), 'a', 'b')).id", fixture) == "ND014")
        // The same once more is no new one, and others are not concerned.
        #expect(
            try state("select (nudged_api.send(\(F.quoted(1)), 'a', 'b', dedupe_key => 'k2')).id", fixture) == "00000"
        )
        #expect(try state("select (nudged_api.send(\(F.quoted(2)), 'a', 'b')).id", fixture) == "00000")
        try fixture.sql(
            "select (nudged_api.cancel(user_id, id)).done from (select user_id, id from nudged.message where user_id = \(F.quoted(1)) limit 1) m"
        )
        #expect(try state("select (nudged_api.send(\(F.quoted(1)), 'a', 'b')).id", fixture) == "00000")
    }

    /// A user with too many must not be able to stop a message to everybody.
    @Test func sendMany_whenOneUserHasTooManyWaiting_servesTheOthersAndRecordsIt() async throws {
        let fixture = try await F()
        try fixture.sql("update nudged.setting set max_messages = 2")
        try fixture.sql("select (nudged_api.send(\(F.quoted(1)), 'a', 'b')).id from generate_series(1, 2)")
        try fixture.expect(
            "select count(*), count(id) from nudged_api.send_many(array[\(F.quoted(1)), \(F.quoted(2)), \(F.quoted(2)), \(F.quoted(2))]::uuid[], 'c', 'd')",
            "4|4"
        )
        try fixture.expect(
            "select right(user_id::text, 2), count(*) from nudged.message group by 1 order by 1",
            ["01|2", "02|2"]
        )
        try fixture.expect(
            "select right(user_id::text, 2), kind, outcome, reason from nudged.delivery order by 1",
            ["01|message|dropped|too_many_waiting", "02|message|dropped|too_many_waiting"]
        )
    }

    @Test func setReminder_whenTooManyArePending_isRefusedButReplaces() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql("update nudged.setting set max_reminders = 2")
        func set(_ subject: String, _ author: Int = 1) throws -> String {
            try state(
                "select nudged_api.set_reminder(\(F.quoted(author)), 'task', '\(subject)', 'a', 'b', due_at => now() + interval '1 hour')",
                fixture
            )
        }
        #expect(try set("1") == "00000")
        #expect(try set("2") == "00000")
        #expect(try set("3") == "ND015")
        #expect(try set("2") == "00000")
        #expect(try set("3", 2) == "00000")
        try fixture.sql("select nudged_api.cancel_reminders(null, 'task', '1')")
        #expect(try set("3") == "00000")
    }

    /// The newest stay: the phone that a user holds now is among them.
    @Test func devices_whenThereAreTooMany_loseTheOldest() async throws {
        let fixture = try await F()
        try fixture.sql("update nudged.setting set max_devices = 3")
        try fixture.sql(
            """
            insert into public.push_tokens (user_id, device_token, updated_at, created_at)
            select \(F.quoted(1)), 'd' || n, timestamptz '2026-01-01Z' + n * interval '1 day', '2026-01-01Z' from generate_series(1, 5) n;
            insert into public.push_tokens (user_id, device_token) values (\(F.quoted(2)), 'other')
            """
        )
        try fixture.expect("select device_token from public.push_tokens order by 1", ["d3", "d4", "d5", "other"])
        try fixture.sql("select nudged_api.register_device(\(F.quoted(1)), '\(String(repeating: "ab", count: 32))')")
        #expect(
            try fixture.sql("select count(*), min(device_token) from public.push_tokens where user_id = \(F.quoted(1))")
                .hasPrefix("3|")
        )
        #expect(try fixture.sql("select count(*) from public.push_tokens where device_token = 'd3'") == "0")
    }

    /// A table that was found is the app's.
    @Test func devices_whenTheTableWasFound_areLeft() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql("create table public.push_tokens (user_id uuid, device_token text)")
        try await fixture.migrate()
        try fixture.sql(
            "update nudged.setting set max_devices = 1; insert into public.push_tokens select \(F.quoted(1)), 'd' || n from generate_series(1, 5) n"
        )
        #expect(try fixture.sql("select count(*) from public.push_tokens") == "5")
    }

    /// Users whose outcomes are recorded are not on their way any more; those of a daemon that is gone are.
    @Test func cancel_whenTheIntentIsSettledForTheUser_isInTime() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            select (nudged_api.send(user_id, 'a', 'b')).id from nudged.person;
            \(F.openIntent(of: "select user_id, id from nudged.message"))
            update nudged.person set turn = turn + 1 where user_id = \(F.quoted(1))
            """
        )
        try fixture.expect(
            "select right(user_id::text, 2), (nudged_api.cancel(user_id, id)).done from nudged.message order by 1",
            ["01|1", "02|0"]
        )
    }

    @Test func forget_whenAnIntentIsOpen_leavesTheOthersInIt() async throws {
        let fixture = try await F.withUsers(1...2)
        try fixture.sql(
            """
            select (nudged_api.send(user_id, 'a', 'b')).id from nudged.person;
            \(F.openIntent(of: "select user_id, id from nudged.message"))
            """
        )
        for left in 1...2 {
            #expect(try fixture.sql("select (nudged_api.forget(\(F.quoted(left)))).done > 0") == "t")
            let count = 2 - left
            try fixture.expect(
                "select cardinality(user_ids), cardinality(turns), cardinality(contents) from nudged.intent",
                "\(count)|\(count)|\(count)"
            )
        }
    }
}
