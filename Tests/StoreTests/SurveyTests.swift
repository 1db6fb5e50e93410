import TestSupport
import Testing

@testable import Core

/// What `nudged migrate` reads before it writes. `Tests/Reference/Calls/app-tables.txt` has what it makes.
@Suite(.ownThreads) struct SurveyTests {
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
        let table = SetUpFacts.Relation(
            schema: "public",
            name: "push_tokens",
            kind: "r",
            owner: "postgres",
            isOurs: true,
            isRead: false,
            columns: ["user_id": "uuid", "device_token": "character varying"]
        )
        #expect(facts.relations == [table])
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
