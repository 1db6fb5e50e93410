import Policy
import Postgres
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

@Suite struct IntentTests {
    typealias F = StoreFixture

    private func leased(_ numbers: ClosedRange<Int> = 1...3) async throws -> (F, UUID, [ClaimedUser]) {
        let fixture = try await F()
        try fixture.seed(numbers)
        let lease = UUID()
        return (fixture, lease, try await fixture.claim(lease: lease))
    }

    @Test func commit_whenNothingChanged_holdsAndLeavesTheRowsAlone() async throws {
        let (fixture, lease, users) = try await leased()
        let rows = "select * from nudged.person order by user_id"
        let before = try fixture.sql(rows)
        let (kept, changed) = try await fixture.store.commit(
            F.intent(users, lease: lease, retry: #"{"x":1}"#),
            leaseMilliseconds: 60_000
        )
        #expect(kept == Set(users.map(\.userID)) && changed.isEmpty)
        #expect(try fixture.sql(rows) == before)
        #expect(
            try fixture.sql(
                "select cardinality(user_ids), cardinality(apns_ids), number, retries[3], counted from nudged.intent"
            ) == #"3|3|1|{"x":1}|{f,f,f}"#
        )
        await fixture.close()
    }

    /// What the intent would have made of the histories, had we lived, its finder makes of them.
    @Test(arguments: [false, true])
    func recover_whenADaemonDied_entersTheNudges(isCounted: Bool) async throws {
        let (fixture, lease, users) = try await leased()
        try fixture.sql("update nudged.person set check_in_at = '{2026-11-18 12:00Z}', check_in_slot = '{2026-11-18}'")
        let intent = F.intent(users, lease: lease, retry: #"{"x":1}"#, isCounted: isCounted)
        _ = try await fixture.store.commit(intent, leaseMilliseconds: 60_000)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 3))
        let history =
            isCounted
            ? "{2026-11-18}|{}|1"
            : "{2026-11-20,2026-11-18}|{\"2026-11-20 12:00:00+00\"}|1"
        #expect(
            try fixture.lines(
                "select distinct check_in_slot, sent, retry->>'x' from nudged.person where lease_id is null and cardinality(check_in_at) = cardinality(check_in_slot)"
            ) == [history]
        )
        await fixture.close()
    }

    /// The intent of a daemon of before migration 9: it had entered the nudge itself.
    @Test func recover_whenTheIntentIsAnOlderDaemons_leavesTheHistories() async throws {
        let (fixture, lease, users) = try await leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        try fixture.sql(
            """
            update nudged.person set check_in_slot = '{2026-11-20}', check_in_at = '{2026-11-20 12:00Z}', retry = '{"x": 2}';
            update nudged.intent set expires_at = now() - interval '1 second', retries = null, counted = null
            """
        )
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 3))
        #expect(
            try fixture.lines("select distinct check_in_slot, retry->>'x', lease_id is null from nudged.person")
                == ["{2026-11-20}|2|t"]
        )
        await fixture.close()
    }

    /// The commit came after the lease's end, and another daemon has the row by now: what it decided stands.
    @Test func recover_whenTheRowIsAnothers_leavesItsHistory() async throws {
        let (fixture, lease, users) = try await leased(1...1)
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        try fixture.sql(
            """
            update nudged.person set lease_id = null, lease_until = null, check_in_slot = '{2026-11-20}', check_in_at = '{2026-11-20 11:00Z}', retry = '{"x": 3}';
            update nudged.intent set expires_at = now() - interval '1 second'
            """
        )
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 1))
        #expect(try fixture.sql("select check_in_slot, retry->>'x' from nudged.person") == "{2026-11-20}|3")
        await fixture.close()
    }

    /// The database's clock went past the lease's end while the intent was being committed, and another daemon has claimed.
    @Test func commit_whenTheLeaseIsAnothersByNow_countsAsChanged() async throws {
        let (fixture, lease, users) = try await leased(1...2)
        let looks = Store.looks(at: .uuidArray(users.map(\.userID)))
        try fixture.sql("update nudged.person set lease_id = gen_random_uuid() where user_id = \(F.quoted(2))")
        let rows = try await fixture.store.transaction(fixture.store.intents, looks)
        let decided = users.map { (user: $0.userID, version: $0.version) }
        let found = try fixture.store.changed(decided, leaseID: lease, rows[0], rows[1])
        #expect(found == [F.user(2)])
        await fixture.close()
    }

    // MARK: Withdrawal

    /// The connection was lost at the commit, and the commit comes after the withdrawal: it must find its place taken.
    @Test func withdrawal_whenTheCommitComesLater_leavesNoIntent() async throws {
        let (fixture, lease, users) = try await leased()
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .withdrawn(chunk: 1),
                updates: users.map { F.update($0) }
            )
        )
        #expect(result.usersSettled == 3)
        // As the late statement would find it, whose snapshot is older.
        try fixture.sql("update nudged.person set lease_id = '\(lease)', lease_until = now() + interval '1 minute'")
        await #expect(throws: PostgresError.self) {
            try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        }
        #expect(try fixture.sql("select sum(cardinality(user_ids)) from nudged.intent") == "0")
        // Its place is given back like an intent's, and says nothing in the record.
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 0))
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        await fixture.close()
    }

    @Test func commit_whenSomethingChanged_leavesThatUserOut() async throws {
        let (fixture, lease, users) = try await leased(1...5)
        try fixture.sql(
            """
            update nudged.person set version = version + 1 where user_id = \(F.quoted(1));
            update nudged.person set lease_id = gen_random_uuid() where user_id = \(F.quoted(2));
            update nudged.person set lease_until = now() - interval '1 second' where user_id = \(F.quoted(3));
            update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = \(F.quoted(4));
            """
        )
        let (kept, _) = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        #expect(kept == [F.user(5)])
        #expect(
            try fixture.lines("select user_ids[1] from nudged.intent where cardinality(user_ids) = 1") == [
                F.user(5).uuidString.lowercased()
            ]
        )
        await fixture.close()
    }

    @Test func commit_whenAllChanged_leavesNoIntent() async throws {
        let (fixture, lease, users) = try await leased()
        try fixture.sql("update nudged.person set version = version + 1")
        let (kept, _) = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        #expect(kept.isEmpty)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        await fixture.close()
    }

    /// Another daemon drains the touch between our commit and our question: the version says so.
    @Test func touchedSince_whenTheTouchWasDrainedMeanwhile_findsTheVersion() async throws {
        let (fixture, lease, users) = try await leased()
        try fixture.sql("update public.context_profiles set timezone = 'Asia/Tokyo' where user_id = \(F.quoted(2))")
        func changed() async throws -> Set<UUID> {
            let looks = Store.looks(at: .uuidArray(users.map(\.userID)))
            let rows = try await fixture.store.transaction(fixture.store.intents, looks)
            return try fixture.store.changed(users.map { ($0.userID, $0.version) }, leaseID: lease, rows[0], rows[1])
        }
        #expect(try await changed() == [F.user(2)])
        _ = try await fixture.store.drain(limit: 100, now: F.now)
        #expect(try await changed() == [F.user(2)])
        await fixture.close()
    }

    /// Users come in the order in which they are due; every writer locks them by their id.
    @Test func writers_whenRowsAreLockedFromBothEnds_neverDeadlock() async throws {
        let fixture = try await F()
        try fixture.seed(1...200)
        try fixture.sql(
            "update nudged.person set due_at = '2026-01-02'::timestamptz - row_number * interval '1 second' from (select user_id as u, row_number() over (order by user_id) from nudged.person) n where n.u = user_id"
        )
        // Leases and versions stay, so that every round locks every row.
        try fixture.sql(
            """
            create function public.keep() returns trigger language plpgsql as $$ begin
                new.version := 1; if old.lease_id is not null then new.lease_id := old.lease_id; end if; return new;
            end $$;
            create trigger keep before update on nudged.person for each row execute function public.keep()
            """
        )
        let lease = UUID()
        let users = try await fixture.claim(500, lease: lease)
        #expect(users.first?.userID == F.user(200))
        let other = Store(configuration: fixture.configuration)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for _ in 0..<60 {
                    try fixture.sql("insert into nudged.touched (user_id) select user_id from nudged.person")
                    _ = try await other.drain(limit: 1000, now: F.now)
                }
            }
            group.addTask {
                for number in 0..<60 as Range<Int32> {
                    _ = try await fixture.store.commit(
                        F.intent(users, lease: lease, number: number),
                        leaseMilliseconds: 60_000
                    )
                    _ = try await fixture.store.renew(users.map(\.userID), leaseID: lease, leaseMilliseconds: 60_000)
                    _ = try await fixture.store.settle(
                        Settlement(
                            leaseID: lease,
                            sweepID: UUID(),
                            fence: .withdrawn(chunk: number),
                            updates: users.map { F.update($0) }
                        )
                    )
                }
            }
            try await group.waitForAll()
        }
        #expect(try fixture.sql("select deadlocks from pg_stat_database where datname = current_database()") == "0")
        await other.close()
        await fixture.close()
    }

    // MARK: Outcomes

    @Test func settle_whenTheIntentIsOpen_recordsAndFrees() async throws {
        let (fixture, lease, users) = try await leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 60_000)
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .openIntent(chunk: 1),
                updates: users.map { F.update($0) },
                records: users.map { F.record($0) }
            )
        )
        #expect(result.counted && result.usersSettled == 3)
        #expect(try fixture.sql("select count(*) from nudged.intent") == "0")
        #expect(
            try fixture.sql("select count(*) from nudged.delivery where outcome = 'accepted' and status = 200") == "3"
        )
        #expect(
            try fixture.sql(
                "select count(*) from nudged.person where lease_id is null and lease_until is null and due_at = '2026-11-20 13:00Z' and asked_at = '2026-11-20 12:00Z'"
            ) == "3"
        )
        await fixture.close()
    }

    @Test func settle_whenTheIntentIsGone_changesNothing() async throws {
        let (fixture, lease, users) = try await leased()
        _ = try await fixture.store.commit(F.intent(users, lease: lease), leaseMilliseconds: 1)
        try fixture.sql("select pg_sleep(0.01)")
        let recovered = try await fixture.store.recover(except: [], limit: 10)
        #expect(recovered.chunks == 1 && recovered.pushes == 3)
        let before = try fixture.sql(
            "select * from nudged.person order by user_id; select * from nudged.delivery order by user_id"
        )
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .openIntent(chunk: 1),
                updates: users.map { F.update($0) },
                records: users.map { F.record($0, .rejected, hash: "bb") }
            )
        )
        #expect(!result.counted && result.usersSettled == 0)
        #expect(
            before
                == (try fixture.sql(
                    "select * from nudged.person order by user_id; select * from nudged.delivery order by user_id"
                ))
        )
        #expect(
            try fixture.sql("select count(*) from nudged.delivery where outcome = 'unknown' and reason = 'daemon_lost'")
                == "3"
        )
        await fixture.close()
    }

    @Test func settle_whenTheVersionHasChanged_keepsTheUserDue() async throws {
        let (fixture, lease, users) = try await leased(1...2)
        try fixture.sql("insert into nudged.touched (user_id) values (\(F.quoted(1)))")
        _ = try await fixture.store.drain(limit: 10, now: F.now)
        _ = try await fixture.store.settle(
            Settlement(leaseID: lease, sweepID: UUID(), fence: .none, updates: users.map { F.update($0) })
        )
        #expect(
            try fixture.lines(
                "select due_at > '2026-11-20 12:00Z', touched_at is null, lease_id is null from nudged.person order by user_id"
            ) == ["f|f|t", "t|t|t"]
        )
        await fixture.close()
    }

    @Test func settle_whenTheLeaseIsForeign_leavesTheUser() async throws {
        let (fixture, lease, users) = try await leased(1...1)
        try fixture.sql("update nudged.person set lease_id = gen_random_uuid()")
        let result = try await fixture.store.settle(
            Settlement(leaseID: lease, sweepID: UUID(), fence: .none, updates: users.map { F.update($0) })
        )
        #expect(result.usersSettled == 0)
        await fixture.close()
    }

    /// The answer was lost, so it is settled again: the rows went with the lease.
    @Test func settle_whenItIsRepeated_recordsOnce() async throws {
        let (fixture, lease, users) = try await leased()
        for count in [3, 0] {
            let result = try await fixture.store.settle(
                Settlement(
                    leaseID: lease,
                    sweepID: UUID(),
                    fence: .none,
                    updates: users.map { F.update($0) },
                    records: users.map { F.record($0, .skipped, hash: "") }
                )
            )
            #expect(result.usersSettled == count)
        }
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "3")
        await fixture.close()
    }

    /// Two attempts of one second, by a clock that was set back: the second is moved by a microsecond, and both are there.
    @Test func settle_whenARowIsThereAlready_breaksTheTie() async throws {
        let (fixture, lease, users) = try await leased(1...1)
        try fixture.sql(
            """
            insert into nudged.delivery (user_id, kind, key, device_hash, outcome, attempted_at, sweep_id)
            select user_id, 'check_in', '2026-11-20', '', 'skipped', '2026-11-20 12:00Z', gen_random_uuid() from nudged.person
            """
        )
        var settlement = Settlement(
            leaseID: lease,
            sweepID: UUID(),
            fence: .none,
            updates: users.map { F.update($0) },
            records: users.map { F.record($0, .skipped, hash: "") }
        )
        let error = await #expect(throws: PostgresError.self) { try await fixture.store.settle(settlement) }
        #expect(error?.sqlState == "23505")
        settlement.tieBreak = 1
        #expect(try await fixture.store.settle(settlement).usersSettled == 1)
        #expect(try fixture.sql("select count(*) from nudged.delivery") == "2")
        await fixture.close()
    }

    /// Histories travel as pieces of common lists: each user gets their own.
    @Test func settle_whenHistoriesDiffer_givesEachTheirOwn() async throws {
        let (fixture, lease, users) = try await leased()
        let days = (1...3).map { F.slot - $0 }
        let histories = [
            History(checkIns: days.map { CheckIn(at: F.now, slot: $0) }, closed: [days[0]], sent: []),
            History(),
            History(checkIns: [CheckIn(at: F.now, slot: days[2])], closed: Array(days[0...1]), sent: [F.now, F.now]),
        ]
        let updates = zip(users, histories).map { F.update($0, history: $1) }
        _ = try await fixture.store.settle(
            Settlement(leaseID: lease, sweepID: UUID(), fence: .none, updates: updates.reversed())
        )
        let again = try await fixture.claim(lease: UUID())
        #expect(again.isEmpty)
        try fixture.sql("update nudged.person set due_at = '2026-01-03'")
        let read = try await fixture.claim().sorted { $0.userID < $1.userID }.map(\.history)
        #expect(read == histories)
        await fixture.close()
    }

    @Test func recover_whenLeasesLive_leavesTheirIntents() async throws {
        let (fixture, lease, users) = try await leased()
        _ = try await fixture.store.commit(F.intent([users[0]], lease: lease, number: 1), leaseMilliseconds: 60_000)
        _ = try await fixture.store.commit(F.intent([users[1]], lease: lease, number: 2), leaseMilliseconds: 60_000)
        let none = try await fixture.store.recover(except: [], limit: 10)
        #expect(none.chunks == 0)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second' where number = 2")
        let ours = try await fixture.store.recover(except: [lease], limit: 10)
        #expect(ours.chunks == 0)
        let dead = try await fixture.store.recover(except: [UUID()], limit: 10)
        #expect(dead.chunks == 1 && dead.pushes == 1)
        #expect(
            try fixture.lines("select user_id, outcome from nudged.delivery") == [
                "\(F.user(2).uuidString.lowercased())|unknown"
            ]
        )
        await fixture.close()
    }

    // MARK: Tokens

    @Test(arguments: [
        // Registered at 12:00:00.500; Apple's instant in milliseconds, environment, topic, and whether the token goes.
        (500, "sandbox", "com.example.app", false), (501, "sandbox", "com.example.app", true),
        (499, "sandbox", "com.example.app", false), (999_999, "production", "com.example.app", false),
        (999_999, "sandbox", "com.example.other", false),
    ])
    func forget_whenRegisteredBeforeTheInstant_andOnlyThen(after: Int64, environment: String, topic: String, goes: Bool)
        async throws
    {
        let fixture = try await F()
        try fixture.seed(1...1)
        try fixture.sql(
            "update public.push_tokens set updated_at = '2026-11-20 12:00:00.500Z', environment = 'sandbox', topic = 'com.example.app'"
        )
        let result = try await fixture.store.settle(
            Settlement(
                leaseID: UUID(),
                sweepID: UUID(),
                fence: .none,
                staleTokens: [
                    .init(
                        userID: F.user(1),
                        token: String(repeating: "0", count: 63) + "1",
                        environment: environment,
                        topic: topic,
                        unregisteredAt: F.now.seconds * 1000 + after
                    )
                ]
            )
        )
        #expect(result.tokensDeleted == (goes ? 1 : 0))
        #expect(try fixture.sql("select count(*) from public.push_tokens") == (goes ? "0" : "1"))
        await fixture.close()
    }

    @Test func forget_whenTheRowNamesNoEnvironment_takesTheConfiguredOne() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        #expect(
            try fixture.sql("select nudged.forget_device(\(F.quoted(1)), lpad('1', 64, '0'), 'sandbox', 'x', now())")
                == "t"
        )
        await fixture.close()
    }

    // MARK: Errors

    @Test func error_whenAStatementFails_holdsNoParameter() async throws {
        let (fixture, lease, users) = try await leased(1...1)
        let error = await #expect(throws: PostgresError.self) {
            try await fixture.store.settle(
                Settlement(
                    leaseID: lease,
                    sweepID: UUID(),
                    fence: .none,
                    updates: users.map { F.update($0, retry: "planted-secret") }
                )
            )
        }
        let text = "\(String(describing: error)) \(error.map(String.init(reflecting:)) ?? "")"
        #expect(!text.contains("planted-secret"))
        #expect(text.contains("settle"))
        await fixture.close()
    }
}
