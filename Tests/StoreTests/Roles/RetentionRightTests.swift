import TestSupport
import Testing

@testable import Core

/// The owner says how long the record is kept. The daemon drops what is older, and can't shorten it.
@Suite(.ownThreads) struct RetentionRightTests {
    @Test func record_whenTheDaemonWouldShortenIt_isKept() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select \(F.quoted(1)), 'check_in', n::text, '', 'skipped', now() - n * interval '1 day', gen_random_uuid()
            from unnest(array[0, 2, 30, 64]) n
            """
        )
        for (statement, state) in [
            ("select nudged.maintain_delivery(0, 1)", "42883"),
            ("update nudged.setting set retention_days = 1", "42501"),
            ("delete from nudged.setting", "42501"), ("insert into nudged.setting default values", "42501"),
            ("delete from nudged.delivery", "42501"), ("truncate nudged.delivery", "42501"),
            ("update nudged.delivery set outcome = 'accepted'", "42501"),
            ("drop table nudged.delivery_default", "42501"),
            ("alter table nudged.delivery detach partition nudged.delivery_default", "42501"),
        ] { #expect(try fixture.perform("nudged_daemon", statement) == state, "\(statement)") }
        let count = "select count(*) from nudged.delivery"
        func maintain() throws -> String {
            try fixture.sql("set role nudged_daemon; select dropped from nudged.maintain_delivery()")
        }
        #expect(try maintain() == "0")
        #expect(try fixture.sql(count) == "4")
        // What the owner sets counts at the next call.
        try fixture.sql("update nudged.setting set retention_days = 31")
        #expect(try maintain() == "1")
        #expect(try fixture.sql(count) == "3")
        #expect(try maintain() == "0")
        #expect(try fixture.perform("postgres", "update nudged.setting set retention_days = 0") == "23514")
        // Without a setting nothing is dropped, and partitions are made all the same.
        try fixture.sql(
            """
            delete from nudged.setting;
            do $$ begin
                execute 'drop table nudged.delivery_' || to_char(now() at time zone 'UTC' + interval '3 days', 'YYYYMMDD');
            end $$
            """
        )
        let made = try fixture.sql("set role nudged_daemon; select made, dropped from nudged.maintain_delivery()")
        #expect(made == "1|0")
    }

    /// Instants that end no day would stop the dropping for ever.
    @Test func record_whenTheDaemonWritesAbsurdInstants_isDroppedAllTheSame() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        func write(_ instant: String) throws -> String {
            try fixture.perform(
                "nudged_daemon",
                """
                insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
                values (\(F.quoted(1)), 'check_in', 'n', '', 'skipped', '\(instant)', gen_random_uuid())
                """
            )
        }
        for instant in ["-infinity", "infinity", "4713-01-01 BC", "1969-12-31", "294276-12-31"] {
            #expect(try write(instant) == "23514", "\(instant)")
        }
        #expect(try write("1970-01-01 00:00:00Z") == "00000")
        #expect(try write("2001-01-01") == "00000")
        let maintain = "set role nudged_daemon; select dropped from nudged.maintain_delivery()"
        for dropped in ["1", "1", "0"] { #expect(try fixture.sql(maintain) == dropped) }
        // Also where the check is missing.
        try fixture.sql(
            """
            do $$ declare c text; begin
                for c in select conname from pg_constraint where conrelid = 'nudged.delivery'::regclass and pg_get_constraintdef(oid) like '%attempted_at%' and contype = 'c'
                loop execute format('alter table nudged.delivery drop constraint %I', c); end loop;
            end $$
            """
        )
        #expect(try write("-infinity") == "00000")
        for dropped in ["1", "0"] { #expect(try fixture.sql(maintain) == dropped) }
    }
}
