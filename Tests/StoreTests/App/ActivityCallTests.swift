import Foundation
import TestSupport
import Testing
import TimeZones

@testable import Core

/// `seen` and `opened` beside the daemon. `CallTranscriptTests` has what they write.
@Suite(.ownThreads) struct ActivityCallTests {
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

    /// A minute's rest does not hide a tap, and a push that is on its way is not lost.
    @Test func opened_isNotedAtOnce() async throws {
        let (fixture, member, users) = try await F.claimed()
        let user = "'\(users[0].userID)'"
        _ = try fixture.sql(
            "select nudged_api.seen(\(user)); update nudged.person set ignored = 1; truncate nudged.touched"
        )
        _ = try await fixture.store.commit(F.intent(users, member: member))
        #expect(try fixture.sql("select done from nudged_api.opened(\(user), '2026-11-20')") == "1")
        #expect(try fixture.sql("select done from nudged_api.opened(\(user), '2026-11-20')") == "0")
        #expect(try fixture.sql("select done from nudged_api.opened(\(user), 'digest')") == "0")
        #expect(try fixture.sql("select count(*) > 0 from nudged.touched") == "t")
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, slot, device_hash, outcome, attempted_at, sweep_id)
            select \(user), 'check_in', '2026-11-20', '2026-11-20', 'a', 'accepted', now() - interval '1 hour', gen_random_uuid()
            """
        )
        try fixture.expect("select kind, sent, opened from nudged.what_works where by is null", ["check_in|1|1"])
    }
}
