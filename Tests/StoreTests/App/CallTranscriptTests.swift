import Foundation
import Postgres
import TestSupport
import Testing

@testable import Core

/// What a database answers to calls: rows, or SQLSTATE, message, detail and hint. Nothing that a caller gave is in a
/// refusal, unless it is a plain name or a number.
///
/// `Tests/Reference/Calls` has the calls with their answers. `NUDGED_WRITE=1` writes the answers.
///
/// - `>` is a call of the owner, `:ann>` one of a signed-in user, `@nudged_app>` one of a role.
/// - `$` is a call of a daemon (`DaemonCalls`).
/// - `+` is a script without an answer, `-` one that comes before the migration.
/// - `% script` and `%> call` are in a transaction of the app, which stays open until `% commit` or `% rollback`.
/// - `&` begins a call that waits for that transaction, and is answered after its end.
/// - `##` begins a chapter: a database of its own. It has nine users with a profile and a device each, unless a script
///   comes before the migration. Scripts before a file's first chapter are played in each.
/// - `:ann`, `:bob` and so on are users.
@Suite(.ownThreads, .timeLimit(.minutes(10))) struct CallTranscriptTests {
    private static let folder = URL(filePath: Checkout.root + "/Tests/Reference/Calls")
    static let users = ["ann", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ian"]

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
        $$;
        -- A pending row of a reminder that lives, with these columns and values.
        create function public.remind(who uuid, columns text, vals text, about text default '7') returns void language plpgsql as $$
        begin
            execute format('with defined as (
                insert into nudged.reminder (user_id, subject_type, subject_id, id) values (%1$L, ''task'', %2$L, gen_random_uuid()) returning id
            )
            insert into nudged.occurrence (user_id, reminder_id, author_id, subject_type, subject_id, title, body, is_own, %3$s)
            select %1$L, id, %1$L, ''task'', %2$L, ''Water'', ''the plants'', true, %4$s from defined', who, about, columns, vals);
        end
        $$;
        -- A daemon may find the others before.
        create function public.keep_to(last uuid) returns void language plpgsql as $$ begin
            delete from public.push_tokens where user_id > last; delete from public.context_profiles where user_id > last;
            delete from nudged.person where user_id > last; truncate nudged.touched;
        end $$;
        -- Users of waiting touches.
        create view public.touched as select distinct user_id from nudged.touched order by 1
        """

    /// A chapter's database.
    private static func database(before: String, isChapter: Bool) async throws -> F {
        let fixture = try await F.onSupabase(before: before)
        try fixture.sql(answer)
        if isChapter, before.isEmpty { try fixture.seed(1...users.count) }
        return fixture
    }

    private static let names =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).map { $0.prefix { $0 != "." } }
        .map(String.init).sorted()

    @Test func files_areFound() { #expect(Self.names.count == 40) }

    @Test(arguments: names) func calls_whenPlayed_areAnsweredAsWritten(name: String) async throws {
        let file = Self.folder.appending(path: name + ".txt")
        let written = try String(contentsOf: file, encoding: .utf8)
        var (played, before, setup, common) = ("", "", "", "")
        var isChapter = false
        var last: Character?
        var chapter: Chapter?
        /// The chapter's database, after the scripts so far.
        func prepared() async throws -> Chapter {
            if chapter == nil {
                let fixture = try await Self.database(before: Self.statement(before), isChapter: isChapter)
                try fixture.sql(Self.statement(common))
                chapter = Chapter(fixture)
            }
            if !setup.isEmpty { try chapter!.fixture.sql(Self.statement(setup)) }
            setup = ""
            return chapter!
        }
        let lines = written.split(separator: "\n")
        var place = 0
        var start = (place: 0, played: "", attempts: 0)
        while place < lines.count {
            let line = lines[place]
            place += 1
            guard let kind = line.first, "#-+:>@$%&".contains(kind) else { continue }
            if !played.isEmpty, kind != last || ":>@$&".contains(kind) { played += "\n" }
            last = kind
            played += line + "\n"
            switch kind {
            case "-": before += line.dropFirst(2) + "\n"
            case "+": setup += line.dropFirst(2) + "\n"
            case "#":
                guard line.hasPrefix("## ") else { continue }
                if isChapter { try await prepared().end() } else { common = setup }
                (chapter, before, setup, isChapter) = (nil, "", "", true)
                start = (place, played, 0)
            default:
                let answer: String
                do {
                    answer = try await prepared().play(line)
                } catch is TooSlow where start.attempts < 3 {
                    await chapter?.fixture.store.close()
                    (chapter, before, setup) = (nil, "", "")
                    (place, played, start.attempts) = (start.place, start.played, start.attempts + 1)
                    continue
                } catch {
                    // A broken script is a difference, too.
                    (answer, setup) = ("\(error)".replacing("\n", with: " ").replacing(#/ CONTEXT: .*/#, with: ""), "")
                }
                played += answer.isEmpty ? "" : Self.masked(answer) + "\n"
            }
        }
        try await prepared().end()
        if ProcessInfo.processInfo.environment["NUDGED_WRITE"] != nil {
            try played.write(to: file, atomically: true, encoding: .utf8)
        }
        let difference = zip(played.split(separator: "\n"), written.split(separator: "\n")).first { $0 != $1 }
        let found = difference.map { "\($0.0)\ninstead of\n\($0.1)" } ?? "the end"
        #expect(played == written, "\(found)\nif wanted: NUDGED_WRITE=1 swift test --filter CallTranscriptTests")
    }

    /// On a loaded machine, a call's time to wait for a lock can be over before the transaction ends. Then the chapter
    /// is played again.
    private struct TooSlow: Error {}

    /// A chapter's database, and what is under way in it.
    private final class Chapter {
        let fixture: F
        private let daemon: DaemonCalls
        private var transaction: OpenTransaction?
        private var waiting: [Task<String, any Error>] = []

        init(_ fixture: F) {
            self.fixture = fixture
            daemon = DaemonCalls(fixture)
        }

        func play(_ line: Substring) async throws -> String {
            switch line.first {
            case "$":
                precondition(waiting.isEmpty, "one call of the daemon at a time")
                return await daemon.answer(CallTranscriptTests.statement(String(line.dropFirst(2))))
            case "%":
                if let end = line.wholeMatch(of: /% (commit|rollback)/)?.1 {
                    try await transaction?.end(isCommit: end == "commit")
                    transaction = nil
                    var answers: [String] = []
                    for task in waiting { answers.append(try await task.value) }
                    waiting = []
                    if answers.contains(where: { $0.contains("55P03") || $0.contains("heldRow") }) { throw TooSlow() }
                    return answers.joined(separator: "\n")
                }
                if transaction == nil { transaction = try await OpenTransaction(fixture) }
                let isCall = line.hasPrefix("%>")
                let text = CallTranscriptTests.statement(String(line.dropFirst(2)))
                return try await transaction!.run(isCall ? Self.call("", "none", text) : text, isCall: isCall)
            case "&":
                precondition(waiting.isEmpty, "whether a second call waits can't be told")
                let (ended, call) = (Observed(false), try Self.background(line.dropFirst(), fixture, daemon))
                waiting.append(
                    Task(executorPreference: ThreadPerJob.shared) {
                        defer { ended.change { $0 = true } }
                        return try await call()
                    }
                )
                try await fixture.untilSomebodyWaits { ended.now }
                if ended.now { throw TooSlow() }
                return ""
            default: return try fixture.sql(Self.statement(line))
            }
        }

        /// Closes the store. No transaction may be open, no call may wait.
        func end() async throws {
            #expect(transaction == nil && waiting.isEmpty, "a transaction is open")
            await fixture.store.close()
        }

        private static func background(_ line: Substring, _ fixture: F, _ daemon: DaemonCalls) throws
            -> @Sendable () async throws -> String
        {
            if line.hasPrefix("$ ") {
                let call = CallTranscriptTests.statement(String(line.dropFirst(2)))
                return { await daemon.answer(call) }
            }
            let statement = statement(line)
            return { try fixture.sql(statement) }
        }

        /// A line as a statement that answers.
        private static func statement(_ line: Substring) -> String {
            let caller = line.prefix { $0 != ">" }
            let user = users.firstIndex(of: String(caller.dropFirst())).map { F.quoted($0 + 1) } ?? "''"
            let role = caller.first.map { $0 == ":" ? "authenticated" : String(caller.dropFirst()) } ?? "none"
            return call(user, role, CallTranscriptTests.statement(String(line.dropFirst(caller.count + 1))))
        }

        private static func call(_ user: String, _ role: String, _ text: String) -> String {
            "select public.answer(\(user.isEmpty ? "''" : user), '\(role)', $call$\(text)$call$)"
        }
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

/// A transaction of the app that stays open while others work.
private final class OpenTransaction {
    private struct Step {
        let text: String
        let isCall: Bool
        let answer: CheckedContinuation<String, any Error>
    }
    private struct RolledBack: Error {}

    private let steps: AsyncStream<Step?>.Continuation
    private let done: Task<Void, any Error>

    init(_ fixture: F) async throws {
        let connection = try await fixture.connection()
        let (stream, steps) = AsyncStream<Step?>.makeStream()
        self.steps = steps
        done = Task(executorPreference: ThreadPerJob.shared) {
            do {
                try await connection.transaction(timeout: .seconds(600)) { transaction in
                    for await step in stream {
                        guard let step else { throw RolledBack() }
                        do {
                            var lines: [String] = []
                            if step.isCall {
                                let rows = try await transaction.run(Statement("call", sql: step.text))
                                for row in 0..<rows.count { lines.append(try rows.text(row, 0)) }
                            } else {
                                try await transaction.execute(script: step.text)
                            }
                            step.answer.resume(returning: lines.joined(separator: "\n"))
                        } catch {
                            step.answer.resume(throwing: error)
                        }
                    }
                }
            } catch is RolledBack {}
            await connection.close()
        }
    }

    func run(_ text: String, isCall: Bool) async throws -> String {
        try await withCheckedThrowingContinuation { steps.yield(Step(text: text, isCall: isCall, answer: $0)) }
    }

    func end(isCommit: Bool) async throws {
        if !isCommit { steps.yield(nil) }
        steps.finish()
        try await done.value
    }
}
