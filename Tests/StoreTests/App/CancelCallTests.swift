import Postgres
import TestSupport
import Testing

@testable import Core

/// The calls that cancel, while intents are made. `CallTranscriptTests` has what each cancels.
@Suite(.ownThreads) struct CancelCallTests {
    /// A way to cancel, for all users at once. `call` answers how many were in time, and how many were not.
    struct Race: Sendable, CustomTestStringConvertible {
        let table: String
        let call: String
        var testDescription: String { call }
    }

    private static let authors = "unnest(array(select distinct user_id from public.context_profiles)) as u"

    private static let races = [
        ("occurrence", "unnest(array(select r from nudged.reminder r)) as r, nudged_api.cancel((r).user_id, (r).id)"),
        ("occurrence", "\(authors) cross join lateral nudged_api.cancel_reminders(u)"),
        ("occurrence", "nudged_api.cancel_reminders(null, 'task', '7')"),
        ("message", "\(authors) cross join lateral nudged_api.cancel_messages(u)"),
        ("message", "nudged_api.cancel_messages(category => 'chat')"),
        ("message", "nudged_api.cancel_messages(dedupe_prefix => 'c-')"),
    ].map { Race(table: $0.0, call: "select sum(c.done), sum(c.too_late) from \($0.1) c") }

    /// Both run at the same time, again and again. What was cancelled in time is in no intent, and both answers agree.
    @Test(.timeLimit(.minutes(10)), arguments: races)
    func cancel_whenIntentsAreMadeMeanwhile_isInTimeExactlyWhereNoneHoldsIt(race: Race) async throws {
        let fixture = try await F.withUsers(1...40)
        let daemon = try await fixture.connection()
        var (inTime, tooLate) = (0, 0)
        for round in 0..<20 {
            try fixture.sql(
                """
                truncate nudged.intent, nudged.occurrence, nudged.reminder, nudged.message, nudged.message_key, nudged.delivery;
                select nudged_api.set_reminder(user_id, 'task', '7', 'x', '', now()) from public.context_profiles
                where '\(race.table)' = 'occurrence';
                select (nudged_api.send(user_id, 'x', '', category => 'chat', dedupe_key => 'c-1')).id from public.context_profiles
                where '\(race.table)' = 'message'
                """
            )
            let script = """
                create temporary table mine on commit drop as
                select user_id, id from (select user_id, id from nudged.\(race.table) order by random() limit \(2 * round) for key share skip locked) o;
                \(F.openIntent(of: "select * from mine"))
                """
            // As the daemon's transaction: its locks, then the intent of what it got.
            let intent = Task { try await daemon.transaction { try await $0.execute(script: script) } }
            // Otherwise, on a busy machine, the same one may be first each time.
            if round % 3 == 2 { try await intent.value }
            let answer = try fixture.sql(race.call).split(separator: "|").compactMap { Int($0) }
            try await intent.value
            let intended =
                Int(try fixture.sql("select coalesce(sum(cardinality(message_ids)), 0) from nudged.intent")) ?? -1
            try #require(answer == [40 - intended, intended], "\(race.call)")
            try fixture.expect(
                "select count(*) from nudged.delivery d join (select unnest(message_ids)::text as key from nudged.intent) i on i.key = d.key where d.reason = 'cancelled'",
                "0"
            )
            inTime += answer[0]
            tooLate += answer[1]
        }
        #expect(inTime > 0 && tooLate > 0)
    }
}
