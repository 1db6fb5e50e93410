import Foundation
import TestSupport
import Testing

@testable import Core

/// What a database answers to calls: rows, or SQLSTATE, message, detail and hint. Nothing that a caller gave is in a
/// refusal, unless it is a plain name or a number.
///
/// `Tests/Reference/Calls` has the calls with their answers. `NUDGED_WRITE=1` writes the answers.
///
/// - `>` is a call of the owner, `:ann>` one of a signed-in user, `@nudged_app>` one of a role.
/// - `+` is a script without an answer, `-` one that comes before the migration.
/// - `##` begins a chapter: a database of its own. It has nine users with a profile and a device each, unless a script
///   comes before the migration. Scripts before a file's first chapter are played in each.
/// - `:ann`, `:bob` and so on are users.
@Suite(.ownThreads) struct CallTranscriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Reference/Calls")
    private static let users = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ian"]

    private static let answer = """
        create function public.answer(sub text, caller text, call text) returns setof text language plpgsql as $$
        declare
            message text;
            detail text;
            hint text;
            broken text;
            context text;
        begin
            perform set_config('request.jwt.claim.sub', sub, true), set_config('role', caller, true);
            return query execute format('with answer as materialized (%s) select a::text from answer a', call);
        exception when others then
            get stacked diagnostics message = message_text, detail = pg_exception_detail, hint = pg_exception_hint,
                broken = constraint_name, context = pg_exception_context;
            -- The caller's own statement is in the context.
            assert concat(message, detail, hint, replace(context, call, '')) !~* '[0-9a-f]{64}|xyzzy',
                'a refusal shows a token or a secret: ' || call;
            return next concat_ws(' ', sqlstate, nullif(broken, '')) || ': ' || message;
            if detail <> '' then return next '      detail: ' || detail; end if;
            return next '      ' || hint;
            -- Of nudged's own functions, an error names no more than the lines.
            return query select '      shows ' || r[1] from regexp_matches(context, 'SQL (?:statement|expression) "(?!with answer)([^"]{0,60})', 'g') r;
        end
        $$;
        -- A daemon that is gone sends these rows.
        create function public.sending(rows text) returns void language plpgsql as $$
        begin
            execute replace($s$\(F.openIntent(of: "ROWS"))$s$, 'ROWS', rows);
        end
        $$
        """

    /// A chapter's database.
    private static func database(before: String, isChapter: Bool) async throws -> F {
        let fixture = try await F.onSupabase(before: before)
        try fixture.sql(answer)
        if isChapter, before.isEmpty { try fixture.seed(1...users.count) }
        return fixture
    }

    private static let names = [
        "activity", "devices", "devices-kept", "messages", "messages-kept", "own", "reading", "record", "reminders",
        "reminders-cancelled", "reminders-set", "reminders-snoozed", "surfaces", "templates", "tests", "touches",
    ]

    @Test func files_areAllPlayed() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        #expect(Set(files) == Set(Self.names.map { $0 + ".txt" }))
    }

    @Test(arguments: names) func calls_whenPlayed_areAnsweredAsWritten(name: String) async throws {
        let file = Self.folder.appending(path: name + ".txt")
        let written = try String(contentsOf: file, encoding: .utf8)
        var fixture: F?
        var (played, before, setup, common) = ("", "", "", "")
        var isChapter = false
        var last: Character?
        func play(_ call: String? = nil, as caller: Substring = "") async throws -> String {
            let database: F
            if let fixture {
                database = fixture
            } else {
                database = try await Self.database(before: Self.statement(before), isChapter: isChapter)
                try database.sql(Self.statement(common))
                fixture = database
            }
            if !setup.isEmpty { try database.sql(Self.statement(setup)) }
            setup = ""
            guard let call else { return "" }
            let user = Self.users.firstIndex(of: String(caller.dropFirst())).map { F.quoted($0 + 1) } ?? "''"
            let role = caller.first.map { $0 == ":" ? "authenticated" : String(caller.dropFirst()) } ?? "none"
            return try database.sql("select public.answer(\(user), '\(role)', $call$\(Self.statement(call))$call$)")
        }
        for line in written.split(separator: "\n") {
            guard let kind = line.first, "#-+:>@".contains(kind) else { continue }
            if !played.isEmpty, kind != last || ":>@".contains(kind) { played += "\n" }
            last = kind
            played += line + "\n"
            switch kind {
            case "-": before += line.dropFirst(2) + "\n"
            case "+": setup += line.dropFirst(2) + "\n"
            case "#":
                guard line.hasPrefix("## ") else { continue }
                if isChapter { _ = try await play() } else { common = setup }
                (fixture, before, setup, isChapter) = (nil, "", "", true)
            default:
                let caller = line.prefix { $0 != ">" }
                let answer = try await play(String(line.dropFirst(caller.count + 1)), as: caller)
                played += answer.isEmpty ? "" : Self.masked(answer) + "\n"
            }
        }
        if ProcessInfo.processInfo.environment["NUDGED_WRITE"] != nil {
            try played.write(to: file, atomically: true, encoding: .utf8)
        }
        let difference = zip(played.split(separator: "\n"), written.split(separator: "\n")).first { $0 != $1 }
        let place = difference.map { "\($0.0)\ninstead of\n\($0.1)" } ?? "the end"
        #expect(played == written, "\(place)\nif wanted: NUDGED_WRITE=1 swift test --filter CallTranscriptTests")
    }

    private static func statement(_ text: String) -> String {
        users.enumerated().reduce(text) { text, user in
            text.replacing(":" + user.element, with: "\(F.quoted(user.offset + 1))::uuid")
        }
    }

    /// Users by their names, and ids and instants that the database makes.
    private static func masked(_ answer: String) -> String {
        let named = users.enumerated().reduce(answer) { answer, user in
            answer.replacing(F.quoted(user.offset + 1).dropFirst().dropLast(), with: user.element)
        }
        return named.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/, with: "(id)")
            .replacing(/\d{4}-\d\d-\d\d [\d:]{8}\.\d+\+00/, with: "(instant)")
    }
}
