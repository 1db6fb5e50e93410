import Policy
import Postgres
import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Reading as a claim reads, without leasing.
@Suite(.ownThreads) struct ReadingTests {
    /// The columns that a statement gives back, as one line.
    private func columns(_ query: Query, from start: String, to end: String?) throws -> String {
        let code = query.sql.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: " ")
        let first = try #require(code.ranges(of: start).last?.upperBound)
        let last = try end.map { try #require(code[first...].firstRange(of: $0)?.lowerBound) } ?? code.endIndex
        return code[first..<last].split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }

    @Test func columns_whenReadOrClaimed_areTheSame() throws {
        let claimed = try columns(.readDue, from: "select", to: " from")
        #expect(claimed.hasPrefix("user_id, turn, version, due_at"))
        let people = Query.claimPeople.sql.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        #expect(people.contains("select " + claimed + " from"))
        #expect(try columns(.readUsers, from: "select", to: " from") == claimed)
    }

    private func read(_ fixture: F, _ user: Int) async throws -> ReadUser? {
        try await fixture.store.reading { reader in try await reader.user(F.user(user), now: F.now) }
    }

    /// All values of a user.
    private static func values(_ user: ClaimedUser) -> String {
        var text = ""
        dump(user, to: &text)
        return text
    }

    private func same(_ left: ClaimedUser, _ right: ClaimedUser) -> Bool { Self.values(left) == Self.values(right) }

    @Test func user_whenReadAndThenClaimed_isTheSame() async throws {
        let fixture = try await F.withUsers(1...2)
        let at = F.now - 177_000
        let state = UserState(
            fingerprint: 9,
            template: 3,
            history: History(checkIns: [CheckIn(at: at, slot: F.slot - 2)], closed: [F.slot - 3], sent: [at])
        )
        let bytes = state.bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        try fixture.sql(
            """
            update nudged.person set state = '\\x\(bytes)', turn = 5, since = '2026-01-01', evaluated_at = '2026-11-19',
                quarantine = '[{"device": "x"}]', retry = '{"slot": "2026-11-19"}' where user_id = \(F.quoted(1));
            insert into public.push_tokens (user_id, device_token, environment, topic) values (\(F.quoted(1)), 'ab', 'sandbox', 'com.example.other');
            """
        )
        let read = try #require(try await read(fixture, 1))
        #expect(read.owner == nil && !read.isNew && read.intents == [])
        try fixture.sql("truncate nudged.touched")
        let daemon = UUID()
        _ = try await fixture.member(id: daemon)
        let claimed = try #require(try await fixture.claim().first { $0.userID == F.user(1) })
        let again = try #require(try await self.read(fixture, 1))
        #expect(same(again.user, claimed), "\(Self.values(again.user))\n\(Self.values(claimed))")
        #expect(claimed.state == state && claimed.turn == 5)
        let range = try fixture.sql("select uuid_hash(\(F.quoted(1))) >> 26")
        #expect(again.owner == daemon && again.range == Int32(range))
    }

    /// A change that waits is taken as the drain takes it.
    @Test func user_whenAChangeWaits_isAsAfterTheDrain() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql("update nudged.person set due_at = '2027-01-01'")
        try fixture.sql(
            "insert into nudged.touched (user_id, at) values (\(F.quoted(1)), '2026-11-20T11:00:00Z'), (\(F.quoted(1)), '2026-11-20T11:30:00Z')"
        )
        // A user without a row so far, and a user unknown to the app.
        try fixture.sql(
            """
            insert into public.push_tokens (user_id, device_token, created_at, updated_at) values (\(F.quoted(2)), 'cd', '2026-01-01', '2026-01-01');
            insert into nudged.touched (user_id) values (\(F.quoted(3)));
            """
        )
        var read: [ReadUser] = []
        for user in 1...2 { read.append(try #require(try await self.read(fixture, user))) }
        #expect(read.map(\.isNew) == [false, true])
        for nobody in 3...4 { #expect(try await self.read(fixture, nobody) == nil) }
        try await fixture.drain(100)
        let claimed = try await fixture.claim().sorted { $0.userID < $1.userID }
        try #require(claimed.count == 2)
        for (before, after) in zip(read, claimed) {
            // The drain's row has a turn of its own.
            var changes = before.user.values
            if before.isNew { changes.turn = after.turn }
            #expect(same(ClaimedUser(changes), after))
        }
    }

    /// The app has data of the user, and nothing makes a row of theirs.
    @Test func user_whenNoChangeWaits_isUnseen() async throws {
        let fixture = try await F()
        try fixture.sql(
            """
            insert into public.push_tokens (user_id, device_token, platform)
            values (\(F.quoted(1)), 'ab', 'ios'), (\(F.quoted(1)), 'cd', 'Android'), (\(F.quoted(2)), 'ef', 'ios');
            delete from nudged.touched where user_id = \(F.quoted(1))
            """
        )
        let unseen = try #require(try await read(fixture, 1))
        #expect(unseen.isUnseen && unseen.isNew && !unseen.hasProfile && unseen.user.devices.count == 1)
        let seen = try #require(try await read(fixture, 2))
        #expect(!seen.isUnseen && seen.isNew)
        let leftOut = try await fixture.store.reading { reader in
            [try await reader.devicesLeftOut(of: F.user(1)), try await reader.devicesLeftOut(of: F.user(2))]
        }
        #expect(leftOut == [DevicesLeftOut(withoutToken: 0, platforms: "Android"), DevicesLeftOut()])
    }

    /// Messages as a claim reads them. A user unknown to the app is known by them.
    @Test func user_whenMessagesWait_bringsThemAsAClaim() async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            """
            select (nudged_api.send(\(F.quoted(1)), 'Ann', 'one', urgent => true, collapse_key => 'k', data => '{"domain": "d", "x": 1}')).id;
            select (nudged_api.send(\(F.quoted(2)), 'Ann', 'two', expires_at => now() + interval '1 day')).id;
            """
        )
        var read: [ReadUser] = []
        for user in 1...2 { read.append(try #require(try await self.read(fixture, user))) }
        #expect(read.map(\.isNew) == [false, true] && read.map(\.user.messages.count) == [1, 1])
        let waiting = try await fixture.store.reading { reader in
            // Before anyone is due, so that nobody is left to the pages of who is.
            try await reader.waiting(after: Store.firstUser, until: Instant(seconds: 0), now: F.now, limit: 10)
        }
        #expect(waiting.users.flatMap(\.messages).map(\.body).sorted() == ["one", "two"])
        try await fixture.drain(100)
        // Users of urgent messages come alone, and first.
        var claimed = try await fixture.claim()
        claimed += try await fixture.claim(inHand: Set(claimed.map(\.userID)))
        try #require(claimed.map(\.userID) == [F.user(1), F.user(2)])
        #expect(claimed.map(\.messages) == read.map(\.user.messages))
        // More than people have: the first are read, and that there are more.
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, title, body)
            select \(F.quoted(1)), gen_random_uuid(), 'Ann', 'many' from generate_series(1, 3000)
            """
        )
        let many = try #require(try await self.read(fixture, 1))
        #expect(many.user.hasMoreMessages && many.user.messages.count == 2000)
    }

    /// Two messages as one digest to two devices, and a check-in: two nudges. What ends with the intent is gone.
    @Test(arguments: [false, true]) func user_whenATurnIsBeingSent_isAsAfterRecovery(ends: Bool) async throws {
        let fixture = try await F.withUsers(1...1)
        try fixture.sql(
            "select (nudged_api.send(\(F.quoted(1)), 'Ann', 'one')).id; select (nudged_api.send(\(F.quoted(1)), 'Ann', 'two')).id"
        )
        try await fixture.drain(100)
        let member = try await fixture.member()
        let user = try #require(try await fixture.claim().first)
        let ids = user.messages.map(\.id)
        var records = [1, 2].flatMap { _ in ids.map { F.messageRecord(user, $0) } }
        records.append(F.record(user, .unknown, status: nil))
        let retry = ends ? nil : #"[{"x": 1}]"#
        let change = F.announced(user, records, retry: retry, ended: ends ? ids : [])
        _ = try await fixture.store.commit(F.intent(member, [change]))
        let read = try #require(try await self.read(fixture, 1))
        #expect(read.intents.flatMap(\.pushes).count == 5 && read.user.history.checkIns.count == 1)
        #expect(read.user.messages.count == (ends ? 0 : 2) && read.user.retry == retry)
        try fixture.die()
        _ = try await fixture.store.recoverOrphans(limit: 10)
        let after = try #require(try await self.read(fixture, 1))
        #expect(same(read.user, after.user), "\(Self.values(read.user))\n\(Self.values(after.user))")
    }

    @Test func due_whenReadPageByPage_isEveryoneOnce() async throws {
        let fixture = try await F.withUsers(1...200)
        try fixture.sql("update nudged.person set due_at = '2027-01-01' where user_id <= \(F.quoted(20))")
        try fixture.sql("update nudged.person set state = '\\x02' where user_id = \(F.quoted(30))")
        let (users, unreadable) = try await fixture.store.reading { reader in
            var users: [UUID] = []
            var unreadable = 0
            for range in SnapshotReader.ranges {
                var next: Cursor? = .start
                while let cursor = next {
                    let page = try await reader.due(in: range, after: cursor, until: F.now, now: F.now, limit: 2)
                    users += page.users.map(\.userID)
                    unreadable += page.unreadable
                    next = page.next
                }
            }
            return (users, unreadable)
        }
        #expect(users.count == 179 && Set(users).count == 179 && unreadable == 1)
    }

    /// One instant, and no writing.
    @Test func reading_whenOthersWriteMeanwhile_staysAtItsInstant() async throws {
        let fixture = try await F.withUsers(1...1)
        try await fixture.store.reading { reader in
            _ = try await reader.clock()
            try fixture.sql("update nudged.person set version = 99")
            let user = try await reader.user(F.user(1), now: F.now)
            #expect(user?.user.version == 1)
        }
        let pushes = try await fixture.store.reporting { reader in
            _ = try await reader.clock()
            try fixture.sql(
                """
                insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
                select user_id, 'check_in', 'n', 'aa', 'accepted', now(), gen_random_uuid() from nudged.person
                """
            )
            return try await reader.deliveries(in: F.now - 4_000_000_000..<F.now + 4_000_000_000, stretch: 3600)
        }
        #expect(pushes.isEmpty)
        let connection = try await fixture.connection()
        await #expect(throws: PostgresError.self) {
            try await connection.transaction(isSnapshot: true) { transaction in
                _ = try await transaction.run(Statement("write", sql: "delete from nudged.person"))
            }
        }
        #expect(try fixture.sql("select count(*) from nudged.person") == "1")
    }

    /// No page reads or sorts all of the table: neither what is due nor what a resume goes through.
    @Test func pages_whenTheTableIsLarge_goByAnIndex() async throws {
        let fixture = try await F.withUsers(1...20_000)
        let (now, user) = (Parameter.timestamp(F.now.seconds * 1_000_000), Parameter.uuid(F.user(0)))
        let due = try await fixture.plan(.readDue, [.int4(3), .timestamp(.min), user, now, .int8(500)])
        #expect(due.contains("using person_due on person") && !due.contains("Sort"), "\(due)")
        let count = try await fixture.plan(.countUsers, [user, .int8(1000)])
        let never = Parameter.null(.timestamptz)
        let wake = try await fixture.plan(.wakeUsers, [now, user, .int8(1000), never, never])
        for plan in [count, wake] {
            #expect(plan.contains("using person_pkey on person") && !plan.contains("Seq Scan on person"), "\(plan)")
            #expect(plan.contains("Limit"), "\(plan)")
        }
    }
}
