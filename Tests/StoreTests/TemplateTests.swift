import Policy
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Templates as an operator writes them and a daemon reads them, and what a user's row remembers of them.
@Suite(.ownThreads) struct TemplateTests {
    private static func insert(_ columns: String, _ values: String) -> String {
        "insert into nudged.template (\(columns)) values (\(values))"
    }

    /// As Planning.TemplateText reads it (PlanningTests/TemplateTextTests has the same).
    @Test func syntax_whenWritten_isWhatTheDaemonReads() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        let long = String(repeating: "a", count: 63)
        for text in [
            "plain", "{a}", "{first_name}, hello", "{{", "}}", "{{}}", "{{{a}}}", "{a}{b}", "{a1_}", "🙂 {a} é",
            "{first_name}{{}}}}", "{\(long)}",
        ] { #expect(try fixture.attempt("postgres", Self.insert("body", "'\(text)'")).state == "00000", "\(text)") }
        for text in [
            "{", "}", "a {b", "a} b", "{}", "{A}", "{1a}", "{ a}", "{a }", "{a-b}", "{é}", "{{a}", "{a}}", "{{{a}}",
            "{_a}", "{a{b}}", "{a\(long)}",
        ] { #expect(try fixture.attempt("postgres", Self.insert("body", "'\(text)'")).state == "23514", "\(text)") }
    }

    @Test func payload_whenAtTheLimit_isTaken() async throws {
        let fixture = try await F()
        try fixture.prepareAttempts()
        func state(_ count: Int) throws -> String {
            try fixture.attempt("postgres", Self.insert("body, domain", "repeat('b', \(count)), 'd'")).state
        }
        let frame =
            #"{"aps":{"alert":{"title":"","body":""},"sound":"default"},"conversation_id":"00000000-0000-0000-0000-000000000000","domain":"d","action":"open_conversation","nudge":"00000000-0000-0000-0000-000000000000"}"#
        #expect(try state(4_096 - frame.utf8.count) == "00000")
        #expect(try state(4_097 - frame.utf8.count) == "23514")
    }

    // MARK: What is read

    @Test func templates_whenRead_areTheActiveOnes() async throws {
        let fixture = try await F()
        // The built-in ones come inactive.
        #expect(try await fixture.store.templates() == [])
        let migrator = Migrator(configuration: fixture.configuration)
        try await migrator.activateTemplates()
        await migrator.close()
        let seeds = try await fixture.store.templates()
        #expect(seeds.map(\.id) == [1, 2, 3, 4, 5, 6] && seeds.contains { $0.title.contains("{first_name}") })
        #expect(seeds.contains { !($0.title + $0.body).contains("{") && $0.action == nil })
        try fixture.sql(
            """
            update nudged.template set active = false;
            \(Self.insert("domain, locale, title, body, weight, action", "'work', 'pt-BR', 'a', 'b', 7, 'new_conversation'"))
            """
        )
        let id = Int32(try fixture.sql("select max(id) from nudged.template")) ?? 0
        let stored = StoredTemplate(
            id: id,
            domain: "work",
            locale: "pt-BR",
            title: "a",
            body: "b",
            weight: 7,
            action: "new_conversation"
        )
        #expect(try await fixture.store.templates() == [stored])
        #expect(try await fixture.store.reading { try await $0.templates() } == [stored])
    }

    // MARK: Context

    private func context(_ fixture: F) async throws -> [String?] { try await fixture.claim().map(\.context) }

    @Test func context_whenTheViewHasIt_isRead() async throws {
        let fixture = try await F.withUsers(1...3)
        try fixture.sql(
            """
            update public.context_profiles set nudge_context = '{"first_name": "Ann"}' where user_id = \(F.quoted(1));
            update public.context_profiles set nudge_context = '[1]' where user_id = \(F.quoted(2));
            """
        )
        // A context is no reason to ask anybody again.
        #expect(try fixture.sql("select count(*) from nudged.touched") == "0")
        #expect(try await context(fixture) == [#"{"first_name": "Ann"}"#, nil, nil])
    }

    @Test func context_whenTheViewHasNoneYet_isNone() async throws {
        let fixture = try await F.withUsers(1...2)
        let view = """
            create view nudged.recipient as select user_id, notification_preferences as preferences, timezone, first_session_complete
            from public.context_profiles
            """
        try fixture.sql("drop view nudged.recipient; \(view)")
        let users = try await fixture.claim()
        #expect(users.map(\.context) == [nil, nil])
        #expect(users.allSatisfy { $0.preferences != nil && $0.firstSessionComplete })
        // It comes while the daemon runs.
        try fixture.sql(
            "\(view.replacing("create view", with: "create or replace view").replacing("first_session_complete\n", with: "first_session_complete, 'no object'::text as context\n"))"
        )
        #expect(try await context(fixture) == ["no object", "no object"])
    }

    @Test func context_whenLong_isNone() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            "alter table public.context_profiles drop constraint nudge_context_size; update public.context_profiles set nudge_context = jsonb_build_object('a', repeat('é', 1000000))"
        )
        #expect(try await context(fixture) == [nil])
    }

    /// A view that an operator has made is theirs, and so is a table that was there.
    @Test func migration_whenTheAppBroughtItsOwn_leavesIt() async throws {
        let table =
            "create table public.context_profiles (user_id uuid primary key, notification_preferences jsonb, first_session_complete boolean, timezone text"
        let found = try await F(migrated: false)
        try found.sql("\(table))")
        try await found.migrate()
        try found.expect(
            "select count(*) from pg_attribute where attrelid = 'public.context_profiles'::regclass and attname = 'nudge_context'",
            "0"
        )
        try found.seed(1...1)
        #expect(try await context(found) == [nil])
        let prepared = try await F(migrated: false)
        try prepared.sql("\(table), nudge_context json)")
        try await prepared.migrate()
        try prepared.seed(1...1)
        try prepared.sql("update public.context_profiles set nudge_context = '{\"a\":  1}'")
        #expect(try await context(prepared) == [#"{"a":  1}"#])
        let own = try await F(migrated: false)
        try await own.migrate()
        try own.sql(
            "drop view nudged.recipient; create view nudged.recipient as select user_id, notification_preferences as preferences, timezone, true as first_session_complete from public.context_profiles"
        )
        try own.seed(1...1)
        #expect(try await context(own) == [nil])
    }

    // MARK: The last one

    private func templates(_ fixture: F) throws -> [Int32?] { try fixture.states().map { $0?.template } }

    /// A message, and a check-in with a template for all users but the first.
    private static func intent(_ users: [ClaimedUser], _ member: UUID) -> Intent {
        F.intent(
            member,
            users.enumerated().map { number, user in
                let template = number == 0 ? nil : Int32(number)
                let checkIn = F.record(user, .unknown, status: nil, template: template)
                return F.announced(user, [F.messageRecord(user, UUID()), checkIn], template: template)
            }
        )
    }

    @Test func template_whenSettled_isReadBack() async throws {
        let (fixture, member, users) = try await F.claimed()
        var changes = users.map { F.change($0, dueAt: F.now) }
        changes[1].state.template = 7
        changes[0].records = [F.record(users[0])]
        changes[1].records = [F.record(users[1], template: 7)]
        _ = try await fixture.store.settle(Settlement(member, changes))
        #expect(try templates(fixture) == [nil, 7, nil])
        #expect(try fixture.sql("select count(*), sum(template) from nudged.delivery") == "2|7")
        #expect(try await fixture.claim().map(\.template) == [nil, 7, nil])
        let records = try await fixture.store.reading { reader in
            try await reader.deliveries(of: users[1].userID, from: F.now - 1, through: F.now + 1, limit: 9)
        }
        #expect(records.map(\.template) == [7])
    }

    /// A dead daemon's check-in may have been seen, so its text counts as the last one.
    @Test func recover_whenADaemonDied_entersTheTemplate() async throws {
        let (fixture, member, users) = try await F.claimed()
        try fixture.sql("update nudged.person set state = \(F.literal(UserState(template: 9)))")
        _ = try await fixture.store.commit(Self.intent(users, member))
        let read = try await fixture.store.reading { try await $0.user(users[2].userID, now: F.now) }
        #expect(read?.user.template == 2)
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 6))
        #expect(try templates(fixture) == [nil, 1, 2])
        try fixture.expect(
            "select kind, coalesce(template::text, '-') from nudged.delivery order by user_id, kind",
            ["check_in|-", "message|-", "check_in|1", "message|-", "check_in|2", "message|-"]
        )
    }

    /// The others' templates stay theirs.
    @Test func forget_whenAnIntentIsOpen_takesTheUsersTemplateAlong() async throws {
        let (fixture, member, users) = try await F.claimed()
        _ = try await fixture.store.commit(Self.intent(users, member))
        _ = try fixture.sql("select (nudged_api.forget(\(F.quoted(2)))).done")
        try fixture.die()
        #expect(try await fixture.store.recoverOrphans(limit: 9) == .init(intents: 1, pushes: 4))
        #expect(try templates(fixture) == [nil, 2])
    }
}
