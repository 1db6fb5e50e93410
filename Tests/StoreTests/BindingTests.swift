import Postgres
import TestSupport
import Testing

@testable import Core

/// nudged's views and triggers stay with a table that is renamed, but its functions look names up.
/// `Tests/Reference/Calls/app-tables.txt` has the app's own views.
@Suite(.ownThreads) struct BindingTests {
    /// Another table takes the name of one of the app's tables.
    private static func swap(_ table: String) -> String {
        """
        create table public.x_new (like public.\(table) including all);
        insert into public.x_new select * from public.\(table);
        alter table public.\(table) rename to x_old;
        alter table public.x_new rename to \(table)
        """
    }

    private static func faults(_ fixture: F) async throws -> [BindingFault] {
        let connection = try await fixture.connection()
        let faults = try await Migrator.bindingFaults(connection)
        await connection.close()
        return faults
    }

    /// A user whose preferences and devices are as the app has them.
    private static func claimed(_ fixture: F) async throws -> ClaimedUser {
        try fixture.sql("update nudged.person set due_at = '2026-01-01'")
        return try #require(try await fixture.claim().first)
    }

    /// What binds views and triggers to another table than their name's, and the first fault.
    private static let changes: [(sql: String, object: String)] = [
        (swap("context_profiles"), "nudged.recipient"),
        (swap("push_tokens"), "nudged.device"),
        // The old table becomes a partition of the new one.
        (
            """
            alter table public.push_tokens rename to x_old;
            create table public.push_tokens (like public.x_old including defaults) partition by list (platform);
            alter table public.push_tokens attach partition public.x_old for values in ('ios');
            """, "nudged.device"
        ),
        // As tools for migrations without a lock do it: a new column takes the name of the old one.
        (
            """
            alter table public.context_profiles add column x jsonb;
            update public.context_profiles set x = notification_preferences;
            alter table public.context_profiles rename column notification_preferences to x_old;
            alter table public.context_profiles rename column x to notification_preferences
            """, "nudged.recipient"
        ),
        (
            """
            create schema x;
            create table x.push_tokens (like public.push_tokens including defaults);
            insert into x.push_tokens select * from public.push_tokens;
            alter table public.push_tokens rename to x_old;
            alter table x.push_tokens set schema public
            """, "nudged.device"
        ),
        (
            """
            create table public.x_new (like public.push_tokens including all);
            insert into public.x_new select * from public.push_tokens;
            drop table public.push_tokens cascade;
            alter table public.x_new rename to push_tokens
            """, "nudged.device"
        ),
        // With other types.
        (
            """
            create table public.x_new (like public.context_profiles including defaults);
            alter table public.x_new add primary key (user_id);
            alter table public.x_new alter column timezone type varchar(80);
            insert into public.x_new select * from public.context_profiles;
            alter table public.context_profiles rename to x_old;
            alter table public.x_new rename to context_profiles
            """, "nudged.recipient"
        ),
    ]

    @Test(arguments: changes.indices) func bind_whenATableWasReplaced_bindsToTheNewOne(_ index: Int) async throws {
        let fixture = try await F.withUsers(1...1)
        #expect(try await Self.faults(fixture) == [])
        let (change, object) = Self.changes[index]
        try fixture.sql(change)

        let fault = try #require(try await Self.faults(fixture).first)
        #expect(fault.object == object && fault.isFixable, "\(fault.text)")
        let isMissing = fault.fault == "does not exist"
        if !isMissing {
            guard case .misbound = try await fixture.schemaState() else { return fail("the schema counts as usable") }
            // The daemon asks, and sends nothing.
            #expect(try await fixture.store.look(checksBinding: true).isUnusable)
        }

        let done = try await fixture.bind()
        #expect(done.contains { $0.hasPrefix(object) }, "\(done)")
        #expect(try await Self.faults(fixture) == [])
        #expect(try await fixture.schemaState() == .current)
        #expect(try await !fixture.store.look(checksBinding: true).isUnusable)
        #expect(try fixture.sql("select count(*) from nudged.quarantined") == "0")
        // Again, and nothing is left to do.
        #expect(try await fixture.bind() == [])

        // The user says no, and registers another device.
        try fixture.sql(
            """
            truncate nudged.touched;
            update public.context_profiles set notification_preferences = '{"check_ins_enabled": false, "frequency": "daily"}';
            insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), 'ab');
            """
        )
        #expect(try fixture.sql("select count(*) from nudged.touched") == "2")
        let user = try await Self.claimed(fixture)
        #expect(user.preferences?.contains("false") == true && user.devices.count == 2)
        try fixture.expect(
            "select count(*) from pg_trigger where tgname like 'nudged_%' and tgrelid::regclass::text like '%x_old' and tgparentid = 0",
            "0"
        )
        // The tables that nudged made are a signed-in user's own rows only.
        try fixture.expect(
            "select bool_and(relrowsecurity) from pg_class where relname in ('context_profiles', 'push_tokens') and relnamespace = 'public'::regnamespace",
            "t"
        )
    }

    @Test(arguments: [
        ("alter table public.push_tokens disable trigger all", "does not fire"),
        ("alter table public.push_tokens enable replica trigger nudged_device_inserted", "does not fire"),
        ("drop trigger nudged_device_inserted on public.push_tokens", "is missing"),
    ]) func bind_whenATriggerIsOffOrGone_makesItFire(_ change: String, _ said: String) async throws {
        let fixture = try await F()
        try fixture.sql(change)
        let faults = try await Self.faults(fixture)
        let own = faults.filter { $0.object == "nudged_device_inserted on public.push_tokens" }
        #expect(own.contains { $0.fault.hasPrefix(said) && $0.isFixable }, "\(faults)")
        // Claims read the tables themselves, so the daemon goes on.
        #expect(try await fixture.schemaState() == .current)
        #expect(try await fixture.store.workStatus().bindingFaults == faults)
        #expect(try await fixture.bind().contains("nudged_device_inserted fires on public.push_tokens"))
        #expect(try await Self.faults(fixture) == [])
        try fixture.sql("insert into public.push_tokens (user_id, device_token) values (\(F.quoted(1)), 'ab')")
        #expect(try fixture.sql("select count(*) from nudged.touched") == "1")
    }
}
