import Policy
import Postgres
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

/// Messages on their way through claim, intent, outcome and recovery.
@Suite struct MessageTests {
    typealias F = StoreFixture

    private func send(_ fixture: F, _ user: Int, _ words: String = "Hi", more: String = "") throws -> UUID {
        let id = try fixture.sql("select nudged.send(\(F.quoted(user)), '\(words)', 'there'\(more))")
        return try #require(UUID(uuidString: id))
    }

    private func drain(_ fixture: F) async throws {
        _ = try await fixture.store.drain(limit: 1000, now: F.now)
    }

    private func intent(
        _ users: [ClaimedUser],
        lease: UUID,
        ends: Bool = false,
        isCounted: Bool = false,
        retry: String? = nil
    ) -> Intent {
        Intent(
            leaseID: lease,
            number: 1,
            sweepID: UUID(),
            attemptedAt: F.now,
            entries: users.map { user in
                Intent.Entry(
                    userID: user.userID,
                    version: user.version,
                    retry: retry,
                    devices: user.messages.enumerated().map { place, message in
                        Intent.Target(
                            kind: "message",
                            key: message.id.uuidString.lowercased(),
                            slot: nil,
                            deviceHash: "00000000000000aa",
                            apnsID: UUID(),
                            nudge: Int16(place),
                            isCounted: isCounted,
                            ends: ends
                        )
                    }
                )
            },
            messages: users.flatMap { user in user.messages.map { MessageReference(userID: user.userID, id: $0.id) } }
        )
    }

    // MARK: Claim

    @Test func claim_whenMessagesWait_bringsThem() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        let first = try send(
            fixture,
            2,
            more:
                #", data => '{"conversation_id": "00000000-0000-0000-0000-0000000000ab", "n": 1.50}', thread_id => 't', collapse_key => 'k'"#
        )
        let second = try send(fixture, 2, "Bye", more: ", urgent => true, expires_at => '2099-01-01Z'")
        try await drain(fixture)
        let users = try await fixture.claim()
        let messages = Dictionary(uniqueKeysWithValues: users.map { ($0.userID, $0.messages) })
        #expect(messages[F.user(1)] == [] && messages[F.user(3)] == [])
        let both = try #require(messages[F.user(2)]).sorted { $0.createdAt < $1.createdAt || $0.title > $1.title }
        let one = try #require(both.first { $0.id == first })
        #expect(one.title == "Hi" && one.body == "there" && one.data == #"{"n": 1.50}"# && one.threadID == "t")
        #expect(one.conversationID == "00000000-0000-0000-0000-0000000000ab" && one.collapseKey == "k" && !one.urgent)
        let other = try #require(both.first { $0.id == second })
        #expect(other.urgent && other.data == nil && other.expiresAt == Instant(rfc3339: "2099-01-01T00:00:00Z"))
        #expect(users.allSatisfy { !$0.hasMoreMessages })
        await fixture.close()
    }

    /// Nobody has a profile or a device of theirs: the message is theirs all the same, and ends in the record.
    @Test func claim_whenTheAppKnowsNothingElse_bringsTheUser() async throws {
        let fixture = try await F()
        let id = try send(fixture, 7)
        try await drain(fixture)
        let users = try await fixture.claim()
        #expect(users.map(\.userID) == [F.user(7)] && users.first?.messages.map(\.id) == [id])
        await fixture.close()
    }

    @Test func claim_whenSomebodyHasThousandsWaiting_isBoundedAndSaysSo() async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        try fixture.sql(
            """
            insert into nudged.message (user_id, id, created_at, title, body, urgent)
            select \(F.quoted(1)), gen_random_uuid(), now() - n * interval '1 second', 't' || n, '', n = 7 from generate_series(1, 5000) n;
            """
        )
        let id = try send(fixture, 2)
        try await drain(fixture)
        let users = try await fixture.claim()
        let crowded = try #require(users.first { $0.userID == F.user(1) })
        #expect(crowded.hasMoreMessages && crowded.messages.count < 2500 && crowded.messages.first?.urgent == true)
        #expect(crowded.messages.dropFirst().first?.title == "t5000", "then the oldest")
        let other = try #require(users.first { $0.userID == F.user(2) })
        #expect(other.messages.map(\.id) == [id] && !other.hasMoreMessages)
        await fixture.close()
    }

    /// An urgent message goes before everyone who is merely due, wherever the walk stands.
    @Test func claim_whenAMessageIsUrgent_bringsItsUserFirst() async throws {
        let fixture = try await F()
        try fixture.seed(1...200)
        // In the midst of a walk over a backlog.
        #expect(try await fixture.claim(10).count == 10)
        _ = try send(fixture, 150)
        _ = try send(fixture, 199, more: ", urgent => true")
        try await drain(fixture)
        // Whatever the first look cost on a loaded machine.
        fixture.store.claiming.withExpress { $0 = ExpressPace() }
        let lease = UUID()
        let users = try await fixture.claim(10, startingOver: false, lease: lease)
        #expect(users.first?.userID == F.user(199) && users.count == 10)
        await fixture.close()
    }

    @Test func drain_whenThereIsMoreThanItTakes_takesTheUrgentFirst() async throws {
        let fixture = try await F()
        try fixture.seed(1...20)
        try fixture.sql(
            "insert into nudged.touched (user_id, urgent) select user_id, user_id = \(F.quoted(19)) from nudged.person"
        )
        #expect(try await fixture.store.drain(limit: 3, now: F.now) == 3)
        #expect(try fixture.sql("select count(*) from nudged.touched where urgent") == "0")
        #expect(
            try fixture.sql("select user_id from nudged.person where due_at < '1971-01-01'")
                == F.quoted(19).filter { $0 != "'" }
        )
        await fixture.close()
    }

    // MARK: Intent

    @Test func commit_whenAMessageWasCancelled_leavesItOut() async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        let id = try send(fixture, 1)
        _ = try send(fixture, 2)
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        #expect(try fixture.sql("select nudged.cancel('\(id)')") == "t")
        // Not by its touch: by the row itself.
        try fixture.sql("truncate nudged.touched")
        let (kept, changed) = try await fixture.store.commit(intent(users, lease: lease), leaseMilliseconds: 60_000)
        #expect(kept.count == 2 && changed == [F.user(1)])
        await fixture.close()
    }

    /// The cancellation is not committed yet, and may be rolled back: the push is not written, and nobody waits.
    @Test func commit_whenAMessageIsBeingCancelled_doesNotWrite() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let id = try send(fixture, 1)
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        let intent = intent(users, lease: lease)
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            let cancelled = try await transaction.run(Statement("cancel", sql: "select nudged.cancel('\(id)')"))
            #expect(try cancelled.bool(0, 0))
            let (_, changed) = try await fixture.store.commit(intent, leaseMilliseconds: 60_000)
            #expect(changed == [F.user(1)])
        }
        await app.close()
        await fixture.close()
    }

    /// The other way round: the intent was first, so it was too late; and the row is left to the outcome, whatever the app's transaction does.
    @Test func cancel_whenTheIntentWasFirst_isTooLateAndHoldsNothing() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let id = try send(fixture, 1)
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        let intent = intent(users, lease: lease)
        #expect(try await fixture.store.commit(intent, leaseMilliseconds: 60_000).changed.isEmpty)
        let settlement = Settlement(
            leaseID: lease,
            sweepID: intent.sweepID,
            fence: .openIntent(chunk: 1),
            updates: users.map { F.update($0) },
            ended: [MessageReference(userID: F.user(1), id: id)]
        )
        let app = try await fixture.connection()
        try await app.transaction { transaction in
            let cancelled = try await transaction.run(Statement("cancel", sql: "select nudged.cancel('\(id)')"))
            #expect(try !cancelled.bool(0, 0))
            let settled = try await fixture.store.settle(settlement)
            #expect(settled.counted && settled.usersSettled == 1)
        }
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        await app.close()
        await fixture.close()
    }

    /// While the intent's transaction holds the row, a cancellation does not wait for it.
    @Test(arguments: [Query.holdMessages, .holdMessagesDistributed])
    func cancel_whileTheIntentIsBeingCommitted_doesNotWait(query: Query) async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let id = try send(fixture, 1)
        let daemon = try await fixture.connection()
        try await daemon.transaction { transaction in
            let held = try await transaction.run(
                Statement("hold", sql: query.sql, parameters: [.uuidArray([F.user(1)]), .uuidArray([id])])
            )
            #expect(held.count == 1)
            #expect(try fixture.sql("set lock_timeout = '5s'; select nudged.cancel('\(id)')") == "f")
        }
        await daemon.close()
        await fixture.close()
    }

    /// Its repeat is still to come: that one goes no more, but something was sent, so it was not in time.
    @Test func cancel_whenAnEarlierAttemptWasMade_stopsTheRepeat() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let id = try send(fixture, 1)
        try fixture.sql(
            #"update nudged.person set retry = '[{"kind": "message", "key": "\#(id.uuidString.lowercased())", "counts": true}]'"#
        )
        #expect(try fixture.sql("select nudged.cancel('\(id)')") == "f")
        #expect(
            try fixture.sql(
                "select (select count(*) from nudged.message), (select outcome || ' ' || reason from nudged.delivery)"
            )
                == "0|dropped cancelled"
        )
        await fixture.close()
    }

    // MARK: Outcome and recovery

    /// The texts go with the users whose row took the settlement, and with nobody else's.
    @Test func settlement_whenAUserIsNotOursAnyMore_leavesTheirMessage() async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        let ids = [try send(fixture, 1), try send(fixture, 2)]
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        try fixture.sql("update nudged.person set lease_id = gen_random_uuid() where user_id = \(F.quoted(2))")
        _ = try await fixture.store.settle(
            Settlement(
                leaseID: lease,
                sweepID: UUID(),
                fence: .none,
                updates: users.map { F.update($0) },
                ended: zip([1, 2], ids).map { MessageReference(userID: F.user($0), id: $1) }
            )
        )
        #expect(try fixture.sql("select id from nudged.message") == ids[1].uuidString.lowercased())
        await fixture.close()
    }

    /// Two messages of one turn: both count, each is unknown, and they stay for their repeats; those of a second unknown end.
    @Test(arguments: [false, true]) func recover_whenADaemonDied_keepsMessagesForTheirRepeat(ends: Bool) async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        _ = try send(fixture, 1)
        _ = try send(fixture, 1)
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        _ = try await fixture.store.commit(
            intent(users, lease: lease, ends: ends, isCounted: ends, retry: ends ? nil : #"[{"x":1}]"#),
            leaseMilliseconds: 60_000
        )
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        #expect(try await fixture.store.recover(except: [], limit: 9) == (1, 2))
        #expect(try fixture.sql("select count(*) from nudged.message") == (ends ? "0" : "2"))
        #expect(
            try fixture.sql(
                "select cardinality(sent), cardinality(check_in_at), lease_id is null, retry from nudged.person"
            ) == (ends ? "0|0|t|" : #"2|0|t|[{"x": 1}]"#)
        )
        #expect(
            try fixture.sql("select count(*) from nudged.delivery where outcome = 'unknown' and kind = 'message'")
                == "2"
        )
        await fixture.close()
    }

    /// Slots that went by before the pushes of a dead daemon: nobody finds them again once those count.
    @Test func recover_whenTheIntentHasRecords_recordsThem() async throws {
        let fixture = try await F()
        try fixture.seed(1...2)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        let skipped = users.map { user in
            DeliveryRecord(
                userID: user.userID,
                kind: "check_in",
                key: "2026-11-18",
                slot: LocalDate(iso: "2026-11-18"),
                deviceHash: "",
                outcome: .skipped,
                reason: "stale",
                attemptedAt: F.now + -86_400
            )
        }
        let plain = F.intent(users, lease: lease)
        _ = try await fixture.store.commit(
            Intent(
                leaseID: lease,
                number: 1,
                sweepID: plain.sweepID,
                attemptedAt: F.now,
                entries: plain.entries,
                records: skipped
            ),
            leaseMilliseconds: 60_000
        )
        try fixture.sql("select nudged.forget(\(F.quoted(2)))")
        #expect(try fixture.sql("select jsonb_array_length(records) from nudged.intent") == "1")
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        _ = try await fixture.store.recover(except: [], limit: 9)
        #expect(
            try fixture.lines(
                "select user_id = \(F.quoted(1)), key, slot, outcome, reason, attempted_at = '2026-11-19 12:00Z' from nudged.delivery order by key"
            )
                == ["t|2026-11-18|2026-11-18|skipped|stale|t", "t|2026-11-20|2026-11-20|unknown|daemon_lost|f"]
        )
        await fixture.close()
    }

    /// A row of more than one machine can't be locked by a question: an update that changes nothing holds it as well.
    @Test func commit_whenTheDatabaseRefusesRowLocks_holdsByUpdating() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        _ = try send(fixture, 1)
        try await drain(fixture)
        fixture.store.claiming.noteDistribution()
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        #expect(
            try await fixture.store.commit(intent(users, lease: lease), leaseMilliseconds: 60_000) == (
                Set([F.user(1)]), []
            )
        )
        await fixture.close()
    }

    /// A message that a decision dropped beside the pushes of a dead daemon is in the record as dropped, so it goes.
    @Test func recover_whenAMessageWasDropped_deletesIt() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let (old, new) = (try send(fixture, 1, "old"), try send(fixture, 1, "new"))
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        let plain = intent(users, lease: lease)
        let dropped = DeliveryRecord(
            userID: F.user(1),
            kind: "message",
            key: old.uuidString.lowercased(),
            slot: nil,
            deviceHash: "",
            outcome: .dropped,
            reason: "collapsed",
            attemptedAt: F.now
        )
        let named = Intent(
            leaseID: lease,
            number: 1,
            sweepID: plain.sweepID,
            attemptedAt: F.now,
            entries: plain.entries,
            records: [dropped],
            messages: plain.messages
        )
        _ = try await fixture.store.commit(named, leaseMilliseconds: 60_000)
        try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
        _ = try await fixture.store.recover(except: [], limit: 9)
        #expect(try fixture.sql("select id from nudged.message") == new.uuidString.lowercased())
        await fixture.close()
    }

    /// Of two dead daemons' intents the one counts under whose lease the row is; the other came after its lease's end, and was not written.
    @Test func recover_whenTwoIntentsNameAUser_entersTheOneOfTheirLease() async throws {
        for first in [true, false] {
            let fixture = try await F()
            try fixture.seed(1...1)
            let (late, own) = (
                UUID(uuid: (first ? 1 : 9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                UUID(uuid: (5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
            )
            let users = try await fixture.claim(lease: late)
            _ = try await fixture.store.commit(F.intent(users, lease: late), leaseMilliseconds: 60_000)
            try fixture.sql("update nudged.person set lease_id = '\(own)'")
            _ = try await fixture.store.commit(F.intent(users, lease: own), leaseMilliseconds: 60_000)
            try fixture.sql("update nudged.intent set expires_at = now() - interval '1 second'")
            #expect(try await fixture.store.recover(except: [], limit: 9).chunks == 2)
            #expect(try fixture.sql("select check_in_slot, lease_id is null from nudged.person") == "{2026-11-20}|t")
            await fixture.close()
        }
    }

    /// `nudged recover`: what waited may have been sent since the backup.
    @Test func restore_whenMessagesWait_dropsThem() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        _ = try send(fixture, 1)
        _ = try send(fixture, 2)
        let now = try #require(Instant(rfc3339: "2099-01-01T00:00:00Z"))
        while try await fixture.store.restoreTouches(before: now, limit: 10) {}
        #expect(
            try await fixture.store.restoreUsers(
                from: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
                now: now,
                limit: 10
            ).users == 2
        )
        #expect(try fixture.sql("select count(*) from nudged.message") == "0")
        #expect(
            try fixture.lines("select outcome, reason, count(*) from nudged.delivery group by 1, 2") == [
                "dropped|restored|2"
            ]
        )
        await fixture.close()
    }

    /// The app holds a message that a decision ended: its user waits for the lease's end, the others are settled.
    @Test func settlement_whenAMessageIsHeld_isRefusedSoon() async throws {
        let fixture = try await F()
        try fixture.seed(1...1)
        let id = try send(fixture, 1)
        try await drain(fixture)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease)
        let settlement = Settlement(
            leaseID: lease,
            sweepID: UUID(),
            fence: .none,
            updates: users.map { F.update($0) },
            ended: [MessageReference(userID: F.user(1), id: id)]
        )
        let app = try await fixture.connection()
        let hold = Statement("hold", sql: "select 1 from nudged.message for update")
        try await app.transaction(timeout: .seconds(60)) { transaction in
            _ = try await transaction.run(hold)
            do {
                _ = try await fixture.store.settle(settlement)
                Issue.record("the row is held")
            } catch let error as PostgresError {
                #expect(error.sqlState == "55P03")
            }
        }
        #expect(try await fixture.store.settle(settlement).usersSettled == 1)
        await app.close()
        await fixture.close()
    }
}
