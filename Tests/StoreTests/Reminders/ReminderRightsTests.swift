import Testing

@testable import Store

@Suite struct ReminderRightsTests {
    typealias F = StoreFixture

    private static let functions = [
        "cancel_reminders", "cancel_subject_reminders", "check_isolation", "end_reminders", "is_zone",
        "recurrence_fault", "recurrence_until",
        "reminder_fault", "reminder_warnings", "set_reminder", "snooze", "take_back_reminders",
    ]

    @Test func functions_areNobodysAndFixTheirPath() async throws {
        let fixture = try await F()
        let names = Self.functions.map { "'\($0)'" }.joined(separator: ",")
        let rows = try fixture.lines(
            """
            select p.proname, has_function_privilege('public', p.oid, 'execute'), 'search_path=pg_catalog, pg_temp' = any (p.proconfig), p.prosecdef
            from pg_proc p where p.pronamespace = 'nudged'::regnamespace and p.proname in (\(names)) order by 1
            """
        )
        // What an app calls works with its owner's rights, the parts of it with their caller's: nobody gains by calling them alone.
        let calls: Set = ["cancel_reminders", "cancel_subject_reminders", "set_reminder", "snooze"]
        #expect(rows == Self.functions.map { "\($0)|f|t|\(calls.contains($0) ? "t" : "f")" })
        await fixture.close()
    }

    @Test func tables_haveRowLevelSecurity() async throws {
        let fixture = try await F()
        #expect(
            try fixture.lines(
                "select relname from pg_class where relrowsecurity and relname in ('reminder', 'occurrence') order by 1"
            )
                == ["occurrence", "reminder"]
        )
        await fixture.close()
    }

    /// An operator's own members, as docs/SQL.md shows it.
    @Test func members_whenTheViewIsRedefined_areThose() async throws {
        let fixture = try await F()
        #expect(try fixture.lines("select * from nudged.subject_member").isEmpty)
        try fixture.sql(
            "create or replace view nudged.subject_member as select 'task'::text as subject_type, '7'::text as subject_id, gen_random_uuid() as user_id"
        )
        #expect(try fixture.lines("select subject_type, subject_id from nudged.subject_member") == ["task|7"])
        await fixture.close()
    }
}
