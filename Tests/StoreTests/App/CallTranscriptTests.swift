import Foundation
import TestSupport
import Testing

@testable import Core

/// What a database answers to calls: rows, or SQLSTATE, message and hint. Nothing that a caller gave is in a refusal,
/// unless it is a plain name or a number.
///
/// `Tests/Reference/Calls` has the calls with their answers. `:ann` and `:bob` are users. `:ann>` is a call of the signed-in
/// user, `>` one of the owner; `+` is a script without an answer. `NUDGED_WRITE=1` writes the answers.
@Suite(.ownThreads) struct CallTranscriptTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Reference/Calls")

    private static let answer = """
        create function public.answer(who text, call text) returns setof text language plpgsql as $$
        declare
            message text;
            hint text;
            broken text;
            context text;
        begin
            perform set_config('request.jwt.claim.sub', who, true);
            return query execute format('with answer as materialized (%s) select a::text from answer a', call);
        exception when others then
            get stacked diagnostics message = message_text, hint = pg_exception_hint, broken = constraint_name,
                context = pg_exception_context;
            return next concat_ws(' ', sqlstate, nullif(broken, '')) || ': ' || message;
            return next '      ' || hint;
            -- Of nudged's own functions, an error names no more than the lines.
            return query select '      shows ' || r[1] from regexp_matches(context, 'SQL (?:statement|expression) "(?!with answer)([^"]{0,60})', 'g') r;
        end
        $$
        """

    @Test(arguments: ["devices", "messages", "reading", "reminders", "surfaces", "templates", "tests"])
    func calls_whenPlayed_areAnsweredAsWritten(name: String) async throws {
        let file = Self.folder.appending(path: "\(name).txt")
        let written = try String(contentsOf: file, encoding: .utf8)
        let fixture = try await F.onSupabase()
        try fixture.sql(Self.answer)
        var played = ""
        var setup = ""
        var last: Character?
        for line in written.split(separator: "\n") {
            guard let kind = line.first, "#+:>".contains(kind) else { continue }
            if !played.isEmpty, kind != last || ":>".contains(kind) { played += "\n" }
            last = kind
            played += line + "\n"
            if kind == "+" { setup += line.dropFirst(2) + "\n" }
            guard ":>".contains(kind) else { continue }
            if !setup.isEmpty { try fixture.sql(Self.statement(setup)) }
            setup = ""
            let call = line.drop { $0 != ">" }.dropFirst()
            let who = kind == ":" ? F.quoted(1) : "''"
            let answer = try fixture.sql("select public.answer(\(who), $call$\(Self.statement(call))$call$)")
            played += answer.isEmpty ? "" : Self.masked(answer) + "\n"
        }
        if ProcessInfo.processInfo.environment["NUDGED_WRITE"] != nil {
            try played.write(to: file, atomically: true, encoding: .utf8)
        }
        let difference = zip(played.split(separator: "\n"), written.split(separator: "\n")).first { $0 != $1 }
        let place = difference.map { "\($0.0)\ninstead of\n\($0.1)" } ?? "the end"
        #expect(played == written, "\(place)\nif wanted: NUDGED_WRITE=1 swift test --filter CallTranscriptTests")
    }

    private static func statement(_ text: some StringProtocol) -> String {
        String(text).replacing(":ann", with: "\(F.quoted(1))::uuid").replacing(":bob", with: "\(F.quoted(2))::uuid")
    }

    /// Ids that the database makes.
    private static func masked(_ answer: String) -> String {
        answer.replacing(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/, with: "(id)")
    }
}
