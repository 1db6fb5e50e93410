import Postgres
import TestSupport
import Testing

@testable import Core

/// What a broad grant gives (`nudged.excess_right`), and how `nudged migrate` and `nudged doctor` see and end it.
@Suite(.ownThreads) struct ExcessRightTests {
    private static let broad = F.broadGrants(on: "nudged").joined(separator: ";")

    private func migrator(_ fixture: F, _ user: String) throws -> Migrator {
        Migrator(configuration: try .parse(url: fixture.cluster.url(database: fixture.name, user: user)))
    }

    @Test func grantRoles_whenABroadGrantWasRun_takesAllBack() async throws {
        let fixture = try await F.onSupabase()
        let migrator = try migrator(fixture, "postgres")
        #expect(try await migrator.excessRights() == [])
        try fixture.sql(Self.broad)
        let rights = try await migrator.excessRights()
        #expect(Set(rights.map(\.role)) == ["anon", "authenticated", "service_role"])
        #expect(rights.contains { $0.object == "nudged.person" && $0.privileges.contains("select") })
        #expect(rights.contains { $0.object == "new tables that postgres makes in schema nudged" })
        #expect(try fixture.attempt("anon", "select count(*) from nudged.person").state == "00000")
        try await migrator.grantRoles()
        #expect(try await migrator.excessRights() == [])
        #expect(try fixture.attempt("anon", "select count(*) from nudged.person").state == "42501")
    }

    /// As `nudged doctor --json` names them.
    @Test func statements_whenRunOneByOne_takeAllBack() async throws {
        let fixture = try await F.onSupabase()
        let migrator = try migrator(fixture, "postgres")
        try fixture.sql(Self.broad)
        let rights = try await migrator.excessRights()
        #expect(rights.count > 100)
        for right in rights { try fixture.sql(right.statement) }
        #expect(try await migrator.excessRights() == [])
    }

    /// `nudged migrate` is also run by roles that may not see it, and before the view exists.
    @Test func excess_whenItCannotBeRead_isNone() async throws {
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.broad)
        let stranger = "stranger_\(fixture.name)"
        try fixture.sql("create role \(stranger) login; grant usage on schema nudged to \(stranger)")
        let theirs = try migrator(fixture, stranger)
        #expect(try await theirs.excessRights() == [])
        await theirs.close()
        let empty = try await F(migrated: false)
        let early = try migrator(empty, "postgres")
        #expect(try await early.excessRights() == [])
    }

    @Test func grantRoles_whenTheRoleIsNotTheOwner_isRefused() async throws {
        let fixture = try await F()
        let stranger = "stranger_\(fixture.name)"
        try fixture.sql("create role \(stranger) login; grant usage on schema nudged to \(stranger)")
        let theirs = try migrator(fixture, stranger)
        let error = await #expect(throws: PostgresError.self) { try await theirs.grantRoles() }
        #expect(error?.sqlState == "42501")
    }

    // MARK: Who writes the app's tables

    private func written(_ fixture: F) async throws -> [DatabaseFacts.Written] {
        let connection = try await fixture.connection()
        let found = try await DatabaseFacts.Written.read(connection)
        await connection.close()
        return found
    }

    private static func healthy(_ name: String) -> DatabaseFacts.Written {
        DatabaseFacts.Written(
            name: name,
            hasWriter: true,
            owned: 5,
            foreign: [],
            owners: [],
            lacking: [],
            isHidden: false
        )
    }

    @Test func written_whenRightsAreMissing_namesThem() async throws {
        let fixture = try await F()
        #expect(try await written(fixture) == [Self.healthy("public.push_tokens")])
        try fixture.sql(
            """
            revoke insert, update on public.push_tokens from nudged_writer;
            drop policy nudged_writer on public.push_tokens;
            alter function nudged.write_device owner to postgres;
            """
        )
        var wanted = Self.healthy("public.push_tokens")
        wanted.owned = 4
        wanted.foreign = ["write_device"]
        wanted.owners = ["postgres"]
        wanted.lacking = ["insert", "update"]
        wanted.isHidden = true
        #expect(try await written(fixture) == [wanted])
        // What doctor says to do.
        try fixture.sql(
            """
            grant insert, update on public.push_tokens to nudged_writer;
            create policy nudged_writer on public.push_tokens to nudged_writer using (true) with check (true);
            select nudged.grant_roles();
            """
        )
        #expect(try await written(fixture) == [Self.healthy("public.push_tokens")])
    }

    /// Tokens are deleted through the app's view.
    @Test func written_whenTheAppHasOtherTables_isItsView() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            """
            create table public.people (id uuid primary key, prefs jsonb);
            create table public.phones (owner uuid, apns text, seen timestamptz);
            create schema nudged;
            create view nudged.recipient as
            select id as user_id, prefs as preferences, null::text as timezone, true as first_session_complete from public.people;
            create view nudged.device as
            select owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic
            from public.phones;
            """
        )
        try await fixture.migrate()
        #expect(try await written(fixture) == [Self.healthy("nudged.device")])
        try fixture.sql("revoke delete on nudged.device from nudged_writer")
        #expect(try await written(fixture).first?.lacking == ["delete"])
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
        #expect(try await written(fixture) == [])
        let migrator = try migrator(fixture, "postgres")
        #expect(try await migrator.rolesWanting() == ([], []))
    }
}
