import Postgres
import TestSupport
import Testing

@testable import Core

/// What a broad grant gives (`nudged.excess_right`), and how `nudged migrate` and `nudged doctor` see and end it.
@Suite(.ownThreads) struct ExcessRightTests {
    private static let broad = F.broadGrants(on: "nudged").joined(separator: ";")

    @Test func grantRoles_whenABroadGrantWasRun_takesAllBack() async throws {
        let fixture = try await F.onSupabase()
        let migrator = try fixture.migrator()
        #expect(try await migrator.excessRights() == [])
        try fixture.sql(Self.broad)
        let rights = try await migrator.excessRights()
        #expect(Set(rights.map(\.role)) == ["anon", "authenticated", "service_role"])
        #expect(rights.contains { $0.object == "nudged.person" && $0.privileges.contains("select") })
        #expect(rights.contains { $0.object == "new tables that postgres makes in schema nudged" })
        let read = "set role anon; select count(*) from nudged.person"
        #expect(try fixture.sql(read) == "0")
        try await migrator.grantRoles()
        #expect(try await migrator.excessRights() == [])
        #expect(throws: (any Error).self) { try fixture.sql(read) }
    }

    /// `nudged migrate` is also run by roles that may not see it, and before the view exists.
    @Test func excess_whenItCannotBeRead_isNone() async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.broad)
        let stranger = "stranger_\(fixture.name)"
        try fixture.sql("create role \(stranger) login; grant usage on schema nudged to \(stranger)")
        let theirs = try fixture.migrator(stranger)
        #expect(try await theirs.excessRights() == [])
        await theirs.close()
        let empty = try await F(migrated: false)
        let early = try empty.migrator()
        #expect(try await early.excessRights() == [])
    }

    @Test func grantRoles_whenTheRoleIsNotTheOwner_isRefused() async throws {
        let fixture = try await F()
        let stranger = "stranger_\(fixture.name)"
        try fixture.sql("create role \(stranger) login; grant usage on schema nudged to \(stranger)")
        let theirs = try fixture.migrator(stranger)
        let error = await #expect(throws: PostgresError.self) { try await theirs.grantRoles() }
        #expect(error?.sqlState == "42501")
    }

    /// Nothing is deleted through a view that PostgreSQL can't write.
    @Test func written_whenTheViewCannotBeWritten_isNothing() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            """
            create schema nudged;
            create view nudged.recipient as
            select null::uuid as user_id, null::jsonb as preferences, null::text as timezone, true as first_session_complete where false;
            create view nudged.device as
            select null::uuid as user_id, null::text as token, now() as registered_at, null::text as environment, null::text as topic
            where false;
            """
        )
        try await fixture.migrate()
        let written = try await Connection.once(fixture.configuration) { (connection) async throws(PostgresError) in
            try await DatabaseFacts.Written.read(connection)
        }
        #expect(written == [])
        let migrator = try fixture.migrator()
        #expect(try await migrator.rolesWanting() == ([], []))
    }
}

/// What the daemon needs.
@Suite(.ownThreads) struct DaemonRightTests {
    /// What a migrated database remembers of them.
    @Test func rights_areThoseOfTheMigrations() async throws {
        let fixture = try await F()
        let remembered = try fixture.lines(
            """
            select distinct regexp_replace(object, '^nudged\\.([a-z_]+).*$', '\\1') || ' ' || trim(p)
            from nudged.role_right, unnest(string_to_array(privileges, ',')) p where role = 'nudged_daemon'
            """
        )
        #expect(DaemonRight.all.count > 30)
        #expect(Set(remembered) == Set(DaemonRight.all.map { "\($0.object) \($0.privilege)" }))
    }

    @Test(arguments: [
        ("select nudged.allow('nudged_daemon', 'select, insert', 'nudged.person');", "person: select insert"),
        (
            "-- Why, and the daemon's.\nselect nudged.allow(\n    'nudged_daemon', 'execute', 'nudged.call(uuid, text)')",
            "call: execute"
        ),
        (
            "select nudged.allow('nudged_daemon', 'select, update (id), delete', 'nudged.a')",
            "a: select update (id) delete"
        ),
        (
            "select nudged.allow('nudged_daemon', 'execute',\n    'nudged.a(uuid, text)', 'nudged.b')",
            "a: execute, b: execute"
        ),
        ("select nudged.allow('nudged_app', 'execute', 'nudged.call')", ""),
        ("perform nudged.allow('nudged_daemon', 'select', 'nudged.a')", ""),
        ("create function nudged.allow(who text)", ""),
    ]) func statement_isReadWhereItAllowsTheDaemon(text: String, expected: String) {
        let found = DaemonRight.allowed(text).map { "\($0.object): \($0.privileges.joined(separator: " "))" }
        #expect(found.joined(separator: ", ") == expected)
    }
}
