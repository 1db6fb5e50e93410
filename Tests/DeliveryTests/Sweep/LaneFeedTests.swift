import Fixtures
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Delivery
@testable import Planning

/// Who joins whom in a lane's feed, and for how long their lease is held.
@Suite struct LaneFeedTests {
    typealias F = JudgeFixture

    private let run = SweepRun()
    private let batch = Sweeper.Batch(
        leaseID: UUID(),
        users: [],
        unreadable: [],
        limit: 9,
        now: F.at("2026-11-20T01:05:00Z"),
        leaseEnd: 30_000
    )

    private func turn(_ number: UInt8) throws -> PlannedTurn {
        let user = F.user(id: UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, number)))
        return try #require(F.judge().judge(user, now: batch.now).turn)
    }

    private func feed(_ waiting: [PlannedTurn]) throws -> LaneFeed {
        var feed = LaneFeed()
        for turns in [[try turn(1)], waiting] {
            feed.portions.append(
                LaneFeed.Portion(batch: batch, run: run, turns: turns[...], leaseEnd: batch.leaseEnd)
            )
        }
        return feed
    }

    private func users(_ feed: LaneFeed, _ place: Int) -> [UInt8] {
        feed.portions[place].turns.map(\.userID.uuid.15)
    }

    @Test func join_whenTheSameClaimWaits_joinsItsLast() throws {
        var feed = try feed([try turn(2)])
        let joins = feed.join(try turn(3), batch, run)
        #expect(joins && users(feed, 0) == [1] && users(feed, 1) == [2, 3])
        let joinsAnother = feed.join(try turn(4), batch, SweepRun())
        #expect(!joinsAnother)
        feed.portions.removeFirst()
        // What is left is being sent.
        let joinsFirst = feed.join(try turn(4), batch, run)
        #expect(!joinsFirst)
        #expect(users(feed, 0) == [2, 3])
    }

    /// The claim's lease ends sooner than a renewed one: with the later end, a commit that took too long would be thought in time.
    @Test func join_whenTheLeaseIsRenewed_takesNobody() throws {
        var feed = try feed([try turn(2)])
        let asked = feed.renewing(1, asked: 20_000, half: 15_000) ?? []
        let joinsMeanwhile = feed.join(try turn(3), batch, run)
        feed.renewed(1, asked, kept: Set(asked.map(\.userID)), leaseEnd: 50_000)
        #expect(feed.portions[1].leaseEnd == 50_000 && users(feed, 1) == [2])
        let joinsLater = feed.join(try turn(3), batch, run)
        #expect(!joinsMeanwhile && !joinsLater)
    }

    @Test func renewal_whenHalfTheLeaseIsLeft_isNotAsked() throws {
        var feed = try feed([try turn(2)])
        let early = feed.renewing(1, asked: 15_000, half: 15_000)
        let joins = feed.join(try turn(3), batch, run)
        #expect(early?.isEmpty == nil && joins)
        feed.portions[1].turns = []
        let ofNobody = feed.renewing(1, asked: 20_000, half: 15_000)
        #expect(ofNobody?.isEmpty == nil)
    }

    /// The database answers while the feed goes on: who was not asked about stays, who was taken stays taken.
    @Test(arguments: [true, false]) func renewal_whenTheFeedGoesOn_leavesTheOthers(isAnswered: Bool) throws {
        var feed = try feed([try turn(2), try turn(3), try turn(4)])
        let asked = feed.renewing(1, asked: 20_000, half: 15_000) ?? []
        feed.portions[1].turns.removeFirst()
        feed.portions[1].turns.append(try turn(5))
        feed.renewed(1, asked, kept: isAnswered ? Set(asked.prefix(2).map(\.userID)) : nil, leaseEnd: 50_000)
        #expect(users(feed, 1) == (isAnswered ? [3, 5] : [5]))
        #expect(feed.portions[1].leaseEnd == (isAnswered ? 50_000 : 30_000))
    }
}
