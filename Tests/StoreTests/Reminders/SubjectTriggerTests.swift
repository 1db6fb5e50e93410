import TestSupport
import Testing

@testable import Core

/// The trigger that an app hangs on its own table.
@Suite(.ownThreads) struct SubjectTriggerTests {
    /// A table of the app's with a reminder on each of its three rows.
    private func fixture(archived: String = "boolean", arguments: String = "'task', 'key', 'gone'") async throws -> F {
        let fixture = try await F.withUsers()
        try fixture.sql(
            """
            create table public.task (key bigint primary key, gone \(archived), name text);
            insert into public.task select k from generate_series(7, 9) k;
            create trigger nudged_reminders after delete or update on public.task
            for each row execute function nudged_api.cancel_subject_reminders(\(arguments));
            """
        )
        for subject in ["7", "8", "9"] { _ = try fixture.setReminder(about: subject) }
        return fixture
    }

    private func left(_ fixture: F) throws -> [String] {
        try fixture.lines("select subject_id from nudged.occurrence order by 1")
    }

    @Test func trigger_whenRowsAreDeleted_cancelsTheirs() async throws {
        let fixture = try await fixture()
        try fixture.sql("delete from public.task where key < 9")
        #expect(try left(fixture) == ["9"])
        #expect(try fixture.sql("select subject_id from nudged.reminder") == "9")
        #expect(try fixture.lines("select reason from nudged.delivery") == ["cancelled", "cancelled"])
    }

    @Test func trigger_whenTheDeletionIsRolledBack_cancelsNothing() async throws {
        let fixture = try await fixture()
        try fixture.sql("begin; delete from public.task; rollback")
        #expect(try left(fixture) == ["7", "8", "9"])
    }

    @Test(arguments: [("boolean", "true", "false"), ("timestamptz", "now()", "null")])
    func trigger_whenARowIsArchived_cancelsItsOnce(type: String, yes: String, no: String) async throws {
        let fixture = try await fixture(archived: type)
        try fixture.sql("update public.task set gone = \(no), name = 'x'")
        #expect(try left(fixture) == ["7", "8", "9"])
        try fixture.sql("update public.task set gone = \(yes) where key = 7")
        #expect(try left(fixture) == ["8", "9"])
        // Set on what is archived already, it stays while that does.
        _ = try fixture.setReminder()
        try fixture.sql("update public.task set name = 'y'")
        #expect(try left(fixture) == ["7", "8", "9"])
    }

    @Test(arguments: ["'task', 'key', 'gone', 'due_on'", "'task', 'key', '', 'due_on'"])
    func trigger_whenItsDateIsCleared_cancelsIts(arguments: String) async throws {
        let fixture = try await fixture(arguments: arguments)
        try fixture.sql("alter table public.task add column due_on date; update public.task set due_on = '2040-05-07'")
        // Another date ends nothing. Neither does a row that never had a date.
        try fixture.sql("update public.task set due_on = '2040-05-08', name = 'x'")
        #expect(try left(fixture) == ["7", "8", "9"])
        try fixture.sql("update public.task set due_on = null where key = 7")
        #expect(try left(fixture) == ["8", "9"])
        _ = try fixture.setReminder()
        try fixture.sql("update public.task set name = 'y'")
        #expect(try left(fixture) == ["7", "8", "9"])
    }

    @Test func trigger_whenARowGetsAnotherID_cancelsTheOldOnes() async throws {
        let fixture = try await fixture(arguments: "'task', 'key'")
        try fixture.sql("update public.task set key = 70 where key = 7; update public.task set gone = true")
        #expect(try left(fixture) == ["8", "9"])
    }

    /// The app's own isolation level is no reason to refuse its deletion.
    @Test func trigger_whenTheSnapshotIsOlder_cancelsAllTheSame() async throws {
        let fixture = try await fixture()
        try fixture.sql("begin isolation level serializable; delete from public.task; commit")
        #expect(try left(fixture).isEmpty)
    }

    /// The role that deletes has no right on anything of nudged's.
    @Test func trigger_whenTheAppHasNoRights_worksAllTheSame() async throws {
        let fixture = try await fixture()
        try fixture.sql(
            """
            do $$ begin create role task_app; exception when duplicate_object then null; end $$;
            grant select, delete on public.task to task_app;
            set role task_app;
            delete from public.task where key = 7;
            """
        )
        #expect(try left(fixture) == ["8", "9"])
    }

    /// A table's owner can define casts, and the function runs with its own owner's rights. So it calls no cast, and
    /// nothing named like a column.
    @Test func trigger_whenTheTableBringsCastsOfItsOwn_callsNone() async throws {
        let fixture = try await fixture()
        try fixture.sql(
            """
            do $$ begin create role task_owner; exception when duplicate_object or unique_violation then null; end $$;
            grant nudged_app to task_owner;
            create schema theirs authorization task_owner;
            set role task_owner;
            create table theirs.ran (called_by text);
            grant usage on schema theirs to public;
            grant insert on theirs.ran to public;
            create type theirs.id as enum ('7', '8');
            create table theirs.task (id theirs.id, gone theirs.id, number integer);
            create function theirs.cast_id(theirs.id) returns text language plpgsql as $$ begin insert into theirs.ran values (current_user); return '9'; end $$;
            create function theirs.cast_row(theirs.task) returns text language plpgsql as $$ begin insert into theirs.ran values (current_user); return '9'; end $$;
            create cast (theirs.id as text) with function theirs.cast_id(theirs.id) as implicit;
            create cast (theirs.task as text) with function theirs.cast_row(theirs.task) as implicit;
            insert into theirs.task values ('7', null, 1), ('8', null, 2), ('8', null, 3);
            create trigger nudged_reminders after delete or update on theirs.task
            for each row execute function nudged_api.cancel_subject_reminders('task', 'id', 'gone');
            delete from theirs.task where number = 1;
            update theirs.task set gone = '7' where number = 2;
            drop trigger nudged_reminders on theirs.task;
            create trigger nudged_reminders after delete on theirs.task
            for each row execute function nudged_api.cancel_subject_reminders('task', 'length');
            """
        )
        #expect(
            try fixture.refusal("delete from theirs.task where number = 3").hasPrefix(
                "42703 nudged_api.cancel_subject_reminders: the table has no column length / "
            )
        )
        #expect(try fixture.lines("select called_by from theirs.ran").isEmpty)
        #expect(try left(fixture) == ["9"])
    }

    @Test(arguments: [
        "before delete on public.task for each row execute function nudged_api.cancel_subject_reminders('task', 'key')",
        "after delete on public.task for each statement execute function nudged_api.cancel_subject_reminders('task', 'key')",
        "after delete on public.task for each row execute function nudged_api.cancel_subject_reminders('task')",
        "after delete on public.task for each row execute function nudged_api.cancel_subject_reminders('task', 'key', 'gone', 'x', 'y')",
    ]) func trigger_whenItIsHungWrongly_saysHow(trigger: String) async throws {
        let fixture = try await fixture()
        try fixture.sql("drop trigger nudged_reminders on public.task; create trigger wrong \(trigger)")
        #expect(try fixture.refusal("delete from public.task").hasPrefix("22023 nudged_api.cancel_subject_reminders: "))
    }
}
