import Postgres
import TestSupport
import Testing
import TimeZones

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
        try fixture.expect(
            "select tablename from pg_tables where schemaname = 'public' order by 1",
            ["devices", "users"]
        )
        #expect(try fixture.sql("select count(*) from pg_trigger where tgname like 'nudged%'") == "0")
        try fixture.sql("update nudged.person set due_at = '2026-01-01'")
        let user = try #require(try await fixture.claim().first)
        #expect(user.timezone == "Europe/Berlin" && user.firstSessionComplete && user.context == nil)
        #expect(user.devices.map(\.token) == ["ab"])
    }

    /// A stale token is deleted through the view, but not if the device has registered since.
    @Test func forgetDevice_whenTheViewIsSimple_deletesThroughIt() async throws {
        let fixture = try await fixture(Self.mapped)
        func forget(_ instant: String, _ token: String = "ab") throws -> String {
            try fixture.sql(
                "select nudged.forget_device(\(F.quoted(1)), '\(token)', 'sandbox', 'com.example.app', '\(instant)')"
            )
        }
        try fixture.sql("insert into public.devices (owner, apns, seen) values (\(F.quoted(1)), 'cd', null)")
        #expect(try forget("2025-12-31") == "f")
        #expect(try forget("2026-01-02", "ef") == "f")
        #expect(try forget("2026-01-02") == "t")
        #expect(try forget("2026-01-02", "cd") == "t")
        #expect(try fixture.sql("select count(*) from public.devices") == "0")
    }

    /// The device registered again with the same token, in a row of its own.
    @Test func forgetDevice_whenTheTokenHasALaterRow_keepsIt() async throws {
        let fixture = try await fixture(Self.mapped)
        try fixture.sql("insert into public.devices (owner, apns, seen) values (\(F.quoted(1)), 'ab', '2026-11-25')")
        let call = "select nudged.forget_device(\(F.quoted(1)), 'ab', 'sandbox', 'com.example.app', '2026-06-01')"
        #expect(try fixture.sql(call) == "t")
        #expect(try fixture.lines("select seen::date from public.devices") == ["2026-11-25"])
        #expect(try fixture.sql(call) == "f")
    }

    @Test func forgetDevice_whenTheViewCannotBeDeletedFrom_deletesNothing() async throws {
        let fixture = try await fixture(
            Self.mapped.replacing("as select owner as user_id", with: "as select distinct owner as user_id")
        )
        try fixture.expect(
            "select nudged.forget_device(\(F.quoted(1)), 'ab', 'sandbox', 'com.example.app', '2026-02-01')",
            "f"
        )
        #expect(try fixture.sql("select count(*) from public.devices") == "1")
    }

    @Test func registerDevice_whenTheTableIsAnother_saysSo() async throws {
        let fixture = try await fixture(Self.mapped)
        try fixture.prepareAttempts()
        let token = String(repeating: "ab", count: 32)
        for call in ["register_device", "unregister_device"] {
            let answer = try fixture.attempt("nudged_app", "select nudged_api.\(call)(\(F.quoted(1)), '\(token)')")
            #expect(answer.state == "42P01" && answer.message.hasPrefix("\(call): there is no table"), "\(answer)")
            #expect(answer.more.contains("redefine nudged.write_device"), "\(answer)")
        }
    }

    /// Tables of our names with other columns: triggers, and a statement touches all of its users.
    @Test func migrate_whenTheViewsReadTablesOfOurNames_addsTriggersAndNoColumn() async throws {
        let fixture = try await fixture(
            """
            create table public.context_profiles (user_id uuid primary key, prefs jsonb);
            create table public.push_tokens (owner uuid, apns text);
            create schema nudged;
            create view nudged.recipient as select user_id, prefs as preferences, null::text as timezone, true as first_session_complete from public.context_profiles;
            create view nudged.device as select owner as user_id, apns as token, now() as registered_at, null::text as environment, null::text as topic from public.push_tokens;
            """
        )
        try fixture.expect(
            "select tgname from pg_trigger where tgname like 'nudged%' order by 1",
            ["nudged_profile_deleted", "nudged_profile_inserted", "nudged_profile_updated"]
        )
        try fixture.sql("insert into public.context_profiles values (\(F.quoted(1)), '{}')")
        try fixture.sql("update public.context_profiles set prefs = null")
        try fixture.sql("insert into public.push_tokens values (\(F.quoted(1)), 'a')")
        #expect(try fixture.sql("select count(*) from nudged.touched") == "2")
        try fixture.expect(
            "select attname from pg_attribute where attrelid = 'public.context_profiles'::regclass and attnum > 0",
            ["user_id", "prefs"]
        )
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
