import Foundation
import LocalPostgres
import TestSupport
import Testing

@testable import Core

/// The statements of the pages, each under the role that its first line names. A line `-- answers …` says what the statement before it answers.
@Suite(.ownThreads) struct SQLPageTests {
    private struct Example {
        let role: String
        let text: String
        let answers: [String]
    }

    /// Every page that has statements. GuideStatementTests plays those of docs/CLIENT.md.
    private static let pages: [String] = {
        let docs = (try? FileManager.default.contentsOfDirectory(atPath: Checkout.root + "/docs")) ?? []
        return (["README.md"] + docs.filter { $0.hasSuffix(".md") && $0 != "CLIENT.md" }.map { "docs/" + $0 }.sorted())
            .filter { (try? Checkout.text($0).contains("```sql\n")) ?? true }
    }()

    private static func examples(_ name: String) throws -> [Example] {
        let blocks = try Checkout.text(name).split(separator: "```sql\n", omittingEmptySubsequences: false).dropFirst()
        return try blocks.map { block in
            let lines = block.prefix(upTo: try #require(block.firstRange(of: "```")).lowerBound).split(separator: "\n")
            let first = try #require(lines.first)
            #expect(first.hasPrefix("-- as "), "\(first)")
            let answer = "-- answers "
            return Example(
                role: String(first.dropFirst("-- as ".count)),
                text: lines.joined(separator: "\n"),
                answers: lines.filter { $0.hasPrefix(answer) }.map { String($0.dropFirst(answer.count)) }
            )
        }
    }

    /// Callers that name arguments (PostgREST always does) can use the names in the pages: `nudged_api.touch(user_id)`.
    @Test(arguments: ["docs/SQL.md"]) func arguments_whenAPageNamesThem_areTheCalls(page: String)
        async throws
    {
        let fixture = try await F()
        var names: [Substring: [Set<String>]] = [:]
        for line in try fixture.lines(
            """
            select format('%s.%s', pronamespace::regnamespace, proname), array_to_string(proargnames, ' ') from pg_proc
            where pronamespace in ('nudged'::regnamespace, 'nudged_api'::regnamespace, 'nudged_me'::regnamespace)
            """
        ) {
            let fields = line.split(separator: "|")
            names[fields[0], default: []].append(
                Set((fields.count > 1 ? fields[1] : "").split(separator: " ").map(String.init))
            )
        }
        var found = 0
        for match in try Checkout.text(page).matches(
            of: /(nudged(?:_api|_me)?\.[a-z_]+)\(([a-z_]+(?:(?:, | or )[a-z_]+)*)\)/
        ) {
            let arguments = match.2.replacing(" or ", with: ", ").split(separator: ", ").map(String.init)
            let calls = try #require(names[match.1], "\(match.0)")
            #expect(calls.contains { $0.isSuperset(of: arguments) }, "\(match.0)")
            found += 1
        }
        #expect(found >= 10)
    }

    /// Apps translate by the codes.
    @Test func warnings_whenMade_haveACodeOfThePage() async throws {
        let fixture = try await F()
        let code = try fixture.sql(
            "select string_agg(prosrc, '') from pg_proc where proname ~ '_warnings$' or prosrc ~ 'warnings :='"
        )
        // Each text that becomes a warning.
        let made = code.matches(of: /(?:warnings \|\| (?:format\()?|(?:return|else) array\[(?:format\()?)'(.*?)'/)
        let codes = try made.map { try #require($0.1.firstMatch(of: #/^([a-z_]+): /#), "\($0.1)").1 }
        let page = try #require(try Checkout.text("docs/SQL.md").firstMatch(of: /begins\s+with its code: ([^.]*)\./)).1
        #expect(Set(page.matches(of: /`([a-z_]+)`/).map(\.1)) == Set(codes) && codes.count == 11)
    }

    @Test(arguments: pages) func examples_whenRun_answerWhatThePageSays(page: String) async throws {
        // Of its own: they change roles.
        let cluster = try LocalCluster()
        defer { cluster.stop() }
        let fixture = try F(on: cluster, user: "app_owner")
        try fixture.sql("create role app_owner login createrole; alter database \(fixture.name) owner to app_owner")
        try fixture.sql(F.supabase + "grant usage on schema auth to app_owner; create role my_backend")
        try await fixture.migrate()
        let before = [
            "a superuser": "", "the owner": "set role app_owner;", "nudged_app": "set role nudged_app;",
            "a signed-in user": "set request.jwt.claim.sub = \(F.quoted(1)); set role authenticated;",
        ]
        for example in try Self.examples(page) {
            guard example.role != "the owner, before the first nudged migrate" else {
                try await Self.map(example.text, on: cluster)
                continue
            }
            let role = try #require(before[example.role], "\(example.role)")
            let answers = try fixture.lines(role + example.text).filter { !$0.isEmpty }
            #expect(answers == example.answers, "\(example.text)")
        }
    }
    @Test func pages_withStatements_areFound() {
        #expect(Set(Self.pages).isSuperset(of: ["README.md", "docs/SQL.md", "docs/TABLES.md", "docs/DECISION.md"]))
    }

    /// Views of an app whose tables have other names: nudged reads through them.
    private static func map(_ views: String, on cluster: LocalCluster) async throws {
        let fixture = try F(on: cluster, user: "app_owner")
        try fixture.sql("alter database \(fixture.name) owner to app_owner")
        try fixture.sql(
            """
            set role app_owner;
            create table public.users (id uuid primary key, settings jsonb, tz text, onboarded boolean);
            create table public.devices (owner uuid, apns_token text, seen_at timestamptz);
            insert into public.users values (\(F.quoted(1)), '{"frequency": "daily"}', 'Europe/Berlin', true);
            insert into public.devices values (\(F.quoted(1)), 'ab', '2026-01-01');
            \(views)
            """
        )
        try await fixture.migrate()
        let seen =
            "select timezone, token, environment is null from nudged.recipient join nudged.device using (user_id)"
        #expect(try fixture.sql("set role nudged_daemon; \(seen)") == "Europe/Berlin|ab|t")
        #expect(try fixture.sql("select count(*) from pg_tables where schemaname = 'public'") == "2")
    }
}
