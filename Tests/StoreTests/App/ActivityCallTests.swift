import Foundation
import TestSupport
import Testing
import TimeZones

@testable import Core

/// `seen`, `opened` and `feedback`, and what they say of nudges (`nudged.what_works`).
@Suite(.ownThreads) struct ActivityCallTests {
    /// What a call as a signed-in user answers.
    private static func own(_ fixture: F, _ user: Int, _ call: String) throws -> String {
        try fixture.sql(
            "set request.jwt.claim.sub = \(F.quoted(user)); set role authenticated; select done from nudged_me.\(call)"
        )
    }

    private static let sends = """
        insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, attempted_at, sweep_id, template, local_minute)
        select %@, 'check_in', '2026-11-20', '2026-11-20', d, 'accepted', clock_timestamp() - interval '%@', gen_random_uuid(), %@, %@
        from unnest(array['a', 'b']) d
        """

    private static func sent(_ user: String, ago: String = "1 hour", template: Int = 3, minute: String = "600")
        -> String
    {
        String(format: sends, user, ago, "\(template)", minute)
    }

    @Test func seen_writesOnceAMinute() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        #expect(try Self.own(fixture, 1, "seen()") == "1")
        #expect(try Self.own(fixture, 1, "seen()") == "0")
        #expect(try fixture.sql("select done from nudged_api.seen(\(F.quoted(1)))") == "0")
        #expect(try fixture.sql("select done from nudged_api.seen(\(F.quoted(2)))") == "1")
        // An hour ahead, by a clock that was wrong.
        for at in ["clock_timestamp() - interval '61 seconds'", "clock_timestamp() + interval '1 hour'", "'infinity'"] {
            try fixture.sql("update nudged.seen set at = \(at)")
            #expect(try Self.own(fixture, 1, "seen()") == "1", "\(at)")
            try fixture.expect(
                "select abs(extract(epoch from clock_timestamp() - at)) < 30 from nudged.seen where user_id = \(F.quoted(1))",
                "t"
            )
        }
        // It counts as no call: nobody is refused for using the app.
        #expect(try fixture.sql("select count(*) from nudged.own_call") == "0")
    }

    /// Only who ignored check-ins may get them more often now.
    @Test func seen_makesDueWhoIgnoredSome() async throws {
        let (fixture, member, users) = try await F.claimed()
        var changes = users.map { F.change($0, F.record($0)) }
        changes[0].ignored = 3
        _ = try await fixture.store.settle(Settlement(member, changes))
        for user in users { _ = try fixture.sql("select nudged_api.seen('\(user.userID)')") }
        try fixture.expect(
            "select user_id from nudged.touched where not arrival",
            [users[0].userID.uuidString.lowercased()]
        )
        #expect(try await fixture.drain() == 1)
        let claimed = try await fixture.claim()
        #expect(claimed.map(\.ignored) == [3])
        #expect(
            claimed.allSatisfy {
                abs(($0.seen ?? Instant(seconds: 0)) - Instant(seconds: Int64(Date().timeIntervalSince1970))) < 60
            }
        )
    }

    @Test func opened_isNotedOnce_forTheUsersOwnNudge() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...2)
        #expect(try Self.own(fixture, 1, "opened('2026-11-20')") == "0", "nothing was sent")
        #expect(try fixture.sql("select count(*) from nudged.seen") == "0")
        try fixture.sql(Self.sent(F.quoted(1)))
        #expect(try Self.own(fixture, 2, "opened('2026-11-20')") == "0")
        #expect(try Self.own(fixture, 1, "opened('2026-11-21')") == "0")
        #expect(try Self.own(fixture, 1, "opened('2026-11-20')") == "1")
        #expect(try Self.own(fixture, 1, "opened('2026-11-20')") == "0")
        #expect(try fixture.sql("select done from nudged_api.opened(\(F.quoted(1)), '2026-11-20')") == "0")
        let row =
            "select kind, slot, device_hash, outcome, template, local_minute from nudged.delivery where outcome not in ('accepted')"
        #expect(try fixture.lines(row) == ["check_in|2026-11-20||opened|3|600"])
        let history = "select outcome, devices, last_attempt < now() - interval '1 minute' from nudged.nudge_history"
        #expect(try fixture.sql(history) == "accepted|2|t", "an answer is no attempt")
        try fixture.sql(
            "insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id) values (\(F.quoted(1)), 'message', 'dropped', '', 'dropped', now(), gen_random_uuid())"
        )
        #expect(try Self.own(fixture, 1, "opened('dropped')") == "0", "nobody got it")
        // After a week it counts no more.
        try fixture.sql(Self.sent(F.quoted(2), ago: "169 hours"))
        #expect(try Self.own(fixture, 2, "opened('2026-11-20')") == "0")
    }

    /// A minute's rest does not hide a tap, and a push that is on its way is not lost.
    @Test func opened_isNotedAtOnce() async throws {
        let (fixture, member, users) = try await F.claimed()
        let user = "'\(users[0].userID)'"
        _ = try fixture.sql(
            "select nudged_api.seen(\(user)); update nudged.person set ignored = 1; truncate nudged.touched"
        )
        let intent = F.intent(users, member: member)
        _ = try await fixture.store.commit(intent)
        #expect(try fixture.sql("select done from nudged_api.opened(\(user), '2026-11-20')") == "1")
        #expect(try fixture.sql("select done from nudged_api.opened(\(user), '2026-11-20')") == "0")
        #expect(try fixture.sql("select done from nudged_api.opened(\(user), 'digest')") == "0")
        #expect(try fixture.sql("select count(*) > 0 from nudged.touched") == "t")
        try fixture.sql(Self.sent(user))
        try fixture.expect("select kind, sent, opened from nudged.what_works where by is null", ["check_in|1|1"])
    }

    /// The app names the first message; all were in the push.
    @Test func opened_whenItIsADigest_countsForItsMessages() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, apns_id, outcome, reason, attempted_at, sweep_id)
            select \(F.quoted(1)), 'message', 'aaaaaaaa-0000-4000-8000-00000000000' || n, 'a', '0f4a1c3e-9b7d-4c2a-8e5f-001122334455', 'accepted', 'digest', now() - interval '1 hour', gen_random_uuid()
            from generate_series(1, 3) n
            """
        )
        #expect(try Self.own(fixture, 1, "opened('AAAAAAAA-0000-4000-8000-000000000001')") == "1")
        #expect(try fixture.sql("select sent, opened from nudged.what_works where by is null") == "3|3")
    }

    /// Ten nudges of one user say less than one of each of ten.
    @Test func bounds_countEachUserOnce() async throws {
        let fixture = try await F()
        let width = "select high - low from nudged.share_bounds(50, 100,"
        #expect(try fixture.sql("select (\(width) 10)) > 2 * (\(width) 100))") == "t")
    }

    /// The last word counts, and is noted only if it is new.
    @Test func feedback_countsTheLastWord() async throws {
        let fixture = try await F.onSupabase()
        try fixture.seed(1...1)
        try fixture.sql(Self.sent(F.quoted(1)))
        let answers = try ["true", "true", "false", "true"].map {
            try Self.own(fixture, 1, "feedback('2026-11-20', \($0))")
        }
        #expect(answers == ["1", "0", "1", "1"])
        #expect(try fixture.sql("select rated, helpful, opened from nudged.what_works where by is null") == "1|1|0")
        _ = try Self.own(fixture, 1, "feedback('2026-11-20', false)")
        #expect(try fixture.sql("select rated, helpful from nudged.what_works where by is null") == "1|0")
    }

    @Test(arguments: [
        ("nudged_api.seen(null)", "user_id is null"), ("nudged_api.opened(null, 'x')", "user_id is null"),
        ("nudged_api.opened(\(F.quoted(1)), null)", "id is not valid"),
        ("nudged_api.opened(\(F.quoted(1)), repeat('x', 65))", "id is not valid"),
        ("nudged_api.feedback(\(F.quoted(1)), 'x', null)", "helpful is null"),
    ]) func call_whenAnArgumentIsWrong_saysWhich(call: String, fault: String) async throws {
        let fixture = try await F()
        let said = try fixture.refusal("select \(call)")
        #expect(said.hasPrefix("22023 nudged_api.") && said.contains("\(fault) / "), "\(said)")
    }

    /// Three hundred nudges of two templates; each on two devices counts once. The bounds are Wilson's.
    @Test func whatWorks_countsByTemplateHourAndWeekday() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            create table public.sent as select gen_random_uuid() as id, n, 1 + n % 2 as template, 600 + 60 * (n % 3) + 1440 * (n % 5) as minute from generate_series(0, 299) n;
            insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, attempted_at, sweep_id, template, local_minute)
            select s.id, 'check_in', '2026-11-20', '2026-11-20', d, 'accepted', clock_timestamp() - interval '1 hour', gen_random_uuid(), s.template, s.minute
            from public.sent s, unnest(array['a', 'b']) d;
            select nudged_api.opened(id, '2026-11-20') from public.sent where template = 1 and n % 4 = 0;
            """
        )
        let rows = try fixture.lines(
            "select coalesce(by, 'all'), coalesce(value, 0), sent, opened from nudged.what_works"
        )
        #expect(
            rows == [
                "all|0|300|75", "hour|10|100|25", "hour|11|100|25", "hour|12|100|25", "template|1|150|75",
                "template|2|150|0",
                "weekday|1|60|15", "weekday|2|60|15", "weekday|3|60|15", "weekday|4|60|15", "weekday|5|60|15",
            ]
        )
        for (hits, tries) in [(75, 300), (0, 150), (150, 150), (1, 3)] {
            let (n, p, z) = (Double(tries), Double(hits) / Double(tries), 1.96)
            // The two shares whose distance to p is z standard deviations: roots of (1 + z²/n) x² - (2p + z²/n) x + p².
            let (a, b) = (1 + z * z / n, 2 * p + z * z / n)
            let root = (b * b - 4 * a * p * p).squareRoot()
            let found = try fixture.sql("select low, high from nudged.share_bounds(\(hits), \(tries), \(tries))").split(
                separator: "|"
            ).compactMap { Double($0) }
            #expect(
                zip(found, [(b - root) / (2 * a), (b + root) / (2 * a)]).allSatisfy { abs($0 - $1) < 6e-5 },
                "\(hits) of \(tries): \(found)"
            )
        }
        #expect(try fixture.sql("select low is null and high is null from nudged.share_bounds(0, 0, 0)") == "t")
    }
}
