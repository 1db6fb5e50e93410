import Postgres
import TestSupport
import Testing

@testable import Core

/// A role without rights holds nothing up. Any login may take advisory locks, so nudged's locks are rows of a table
/// that only its functions can write.
@Suite(.ownThreads) struct HeldLockTests {
    @Test(.timeLimit(.minutes(10))) func calls_whenAStrangerHoldsAdvisoryLocks_doNotWait() async throws {
        let fixture = try await F.withUsers(1...1)
        let stranger = "stranger_\(fixture.name)"
        try fixture.sql("create role \(stranger) login")
        let url = fixture.cluster.url(database: fixture.name, user: stranger)
        let holder = try await Connection.open(.parse(url: url))
        let token = F.token(1)
        // Names that are locked now, and those that were locked by advisory locks.
        let names = [
            "subject task 7", "device \(token)", "nudged.end_reminders task 7", "nudged.device \(token)",
            "nudged.maintain_delivery",
        ].map { "'\($0)'" }.joined(separator: ", ")
        let partition = "(now() at time zone 'UTC')::date + 7"
        try fixture.sql(
            """
            select nudged_api.set_reminder(\(F.quoted(1)), 'task', '7', 'a', 'b', due_at => now() + interval '1 day');
            do $$ begin execute 'drop table nudged.delivery_' || to_char(\(partition), 'YYYYMMDD'); end $$
            """
        )
        try await holder.transaction(timeout: .seconds(300)) { transaction in
            try await transaction.execute(
                script: "select pg_advisory_xact_lock(hashtextextended(n, 0)) from unnest(array[\(names)]) as n"
            )
            let patience = "set statement_timeout = '60s'; set role"
            let cancel = "select done, too_late from nudged_api.cancel_reminders(null, 'task', '7')"
            #expect(try fixture.sql("\(patience) nudged_app; \(cancel)") == "1|0")
            let register = "select nudged_api.register_device(\(F.quoted(1)), '\(token)')"
            try fixture.sql("\(patience) nudged_app; \(register)")
            #expect(try fixture.sql("\(patience) nudged_daemon; select * from nudged.maintain_delivery()") == "1|0")
        }
    }
}

@Suite(.ownThreads) struct HeldLockLongTests {
    /// An advisory lock for each device would need a place in shared memory (53200).
    @Test(.timeLimit(.minutes(10))) func devices_whenManyAreRegisteredAtOnce_needNoSharedMemory() async throws {
        let fixture = try await F()
        let registered = try fixture.sql(
            """
            set role nudged_app;
            select count(*) from (
                select nudged_api.register_device(
                    ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, lpad(to_hex(n), 64, '0'))
                from generate_series(1, 15000) as n
            ) as calls
            """
        )
        #expect(registered == "15000")
        let rows = "select (select count(*) from public.push_tokens), (select count(*) from nudged.lock)"
        try fixture.expect(rows, "15000|0")
    }
}
