import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

@Suite(.ownThreads) struct DueFloorTests {
    @Test func look_whenItIsCheap_isTakenEveryFewSeconds() {
        var floor = DueFloor()
        #expect(floor.isDue(for: [], at: 0) && floor.cursor == .start)
        floor.took([], count: 1, oldest: 5_000_000, now: F.now, asked: 100, answered: 101)
        #expect(!floor.isDue(for: [], at: 5_100) && floor.isDue(for: [], at: 5_101))
        #expect(floor.cursor.dueAt == 4_999_999)
        floor.forget()
        #expect(floor.isDue(for: [], at: 0) && floor.cursor == .start)
    }

    @Test func look_whenItIsDear_hasATwentiethOfTheTime() {
        var floor = DueFloor()
        floor.took([], count: 0, oldest: nil, now: F.now, asked: 0, answered: 2_000)
        #expect(!floor.isDue(for: [], at: 41_999) && floor.isDue(for: [], at: 42_000))
    }

    @Test func look_whenRangesCame_isTakenAtOnce() {
        var floor = DueFloor()
        floor.took([1], count: 1, oldest: 5_000_000, now: F.now, asked: 100, answered: 101)
        #expect(!floor.isDue(for: [1], at: 102) && floor.isDue(for: [1, 2], at: 102))
    }

    /// What a hand puts below is found once the next look is due, and at once where --once asks whether anybody is left.
    @Test func claims_whenAHandPutsSomebodyBelow_findThemLater() async throws {
        let (fixture, _, users) = try await F.claimed(1...3)
        #expect(users.count == 3)
        try fixture.sql("update nudged.person set due_at = '2020-01-01'")
        #expect(try await fixture.claim().isEmpty)
        #expect(try await fixture.store.remaining(now: F.now, ranges: F.ranges).isAnyoneOurs)
        #expect(try await fixture.claim().count == 3)
        await fixture.close()
    }

    /// Nobody, or only who became due just now: others may be on their way, by clocks that differ.
    @Test(arguments: [nil, F.now.microseconds - 1] as [Int64?])
    func floor_whenNobodyIsOld_leavesAMargin(oldest: Int64?) {
        var floor = DueFloor()
        floor.took([], count: oldest == nil ? 0 : 1, oldest: oldest, now: F.now, asked: 0, answered: 1)
        #expect(floor.cursor.dueAt == (F.now.seconds - 60) * 1_000_000 - 1)
    }

    @Test func floor_whenThereAreMany_isTheStart() {
        var floor = DueFloor()
        floor.took([], count: DueFloor.rowLimit, oldest: 5, now: F.now, asked: 0, answered: 1)
        #expect(floor.cursor == .start)
    }
}
