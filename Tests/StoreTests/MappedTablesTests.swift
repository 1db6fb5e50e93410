import TestSupport
import Testing

@testable import Core

/// An app whose tables have other names: it makes the two views before the first migration.
@Suite(.ownThreads) struct MappedTablesTests {
    private static let mapped = """
        create table public.users (id uuid primary key, prefs jsonb, tz text, onboarded boolean);
        create table public.devices (id bigint generated always as identity primary key, owner uuid, apns text, seen timestamptz);
        create schema nudged;
        create view nudged.recipient as select id as user_id, prefs as preferences, tz as timezone, onboarded as first_session_complete from public.users;
        create view nudged.device as select owner as user_id, apns as token, seen as registered_at, null::text as environment, null::text as topic from public.devices;
        insert into public.users values (\(F.quoted(1)), '{"check_ins_enabled": true, "frequency": "daily"}', 'Europe/Berlin', true);
        insert into public.devices (owner, apns, seen) values (\(F.quoted(1)), 'ab', '2026-01-01');
        """

    private func fixture(_ setup: String) async throws -> F {
        let fixture = try await F(migrated: false)
        try fixture.sql(setup)
        try await fixture.migrate()
        return fixture
    }

    @Test func migrate_whenTheViewsAreThere_makesNoTableAndNoTrigger() async throws {
        let fixture = try await fixture(Self.mapped)
        let tables = "select tablename from pg_tables where schemaname = 'public' order by 1"
        try fixture.expect(tables, ["devices", "users"])
        #expect(try fixture.sql("select count(*) from pg_trigger where tgname like 'nudged%'") == "0")
        try fixture.sql("update nudged.person set due_at = '2026-01-01'")
        let user = try #require(try await fixture.claim().first)
        #expect(user.timezone == "Europe/Berlin" && user.firstSessionComplete && user.context == nil)
        #expect(user.devices.map(\.token) == ["ab"])
    }

    // MARK: What `nudged migrate` reads before

    @Test func survey_whenTheDatabaseIsEmpty_findsNothing() async throws {
        let fixture = try await F(migrated: false)
        let facts = try await Migrator.survey(fixture.configuration)
        #expect(facts.schemaState == .behind(Migration.all) && facts.database == fixture.name)
        #expect(facts.role == "postgres" && facts.mayCreateSchema && facts.mayCreateTables && facts.mayCreateRoles)
        #expect(facts.schemaOwner == nil && facts.held.isEmpty && facts.otherTables.isEmpty && facts.relations.isEmpty)
        #expect(facts.isWritable && facts.versionNumber >= 150_000)
    }

    @Test func survey_whenTheAppHasTables_readsThem() async throws {
        let fixture = try await F(migrated: false)
        try fixture.sql(
            """
            create domain public.key as uuid; create table public.b (); create table public.a (); create view public.c as select 1 as one;
            create table public.push_tokens (user_id public.key, gone text, device_token varchar(99)); alter table public.push_tokens drop column gone;
            """
        )
        let facts = try await Migrator.survey(fixture.configuration)
        #expect(facts.otherTables == ["a", "b"])
        let column = SetUpFacts.Column.init(name:type:)
        #expect(
            facts.relations == [
                SetUpFacts.Relation(
                    schema: "public",
                    name: "push_tokens",
                    kind: "r",
                    owner: "postgres",
                    isOurs: true,
                    isRead: false,
                    columns: [column("user_id", "uuid"), column("device_token", "character varying")]
                )
            ]
        )
    }

    @Test func survey_whenTheViewsAreThere_readsThemAndWhatTheyRead() async throws {
        let fixture = try await F()
        let facts = try await Migrator.survey(fixture.configuration)
        #expect(facts.schemaState == .current && facts.schemaOwner == "postgres" && facts.ownsSchema)
        #expect(facts.relations.map(\.name) == ["context_profiles", "push_tokens", "recipient", "device"])
        #expect(facts.relations.prefix(2).allSatisfy { $0.isRead && $0.kind == "r" })
        #expect(facts.relations.suffix(2).allSatisfy { $0.kind == "v" })
        #expect(facts.held.contains("person") && facts.otherTables.isEmpty)
    }
}
