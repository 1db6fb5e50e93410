import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Store

@Suite(.ownThreads) struct DueFloorTests {
    typealias F = StoreFixture

    @Test func look_whenItIsCheap_isTakenEveryFewSeconds() {
        var floor = DueFloor()
        #expect(floor.isDue(at: 0) && floor.cursor == .start)
        floor.took(count: 1, oldest: 5_000_000, now: F.now, asked: 100, answered: 101)
        #expect(!floor.isDue(at: 5_100) && floor.isDue(at: 5_101))
        #expect(floor.cursor.dueAt == 4_999_999)
        floor.forget()
        #expect(floor.isDue(at: 0) && floor.cursor == .start)
    }

    @Test func look_whenItIsDear_hasATwentiethOfTheTime() {
        var floor = DueFloor()
        floor.took(count: 0, oldest: nil, now: F.now, asked: 0, answered: 2_000)
        #expect(!floor.isDue(at: 41_999) && floor.isDue(at: 42_000))
    }

    /// Nobody, or only who became due just now: others may be on their way, by clocks that differ.
    @Test(arguments: [nil, F.now.microseconds - 1] as [Int64?])
    func floor_whenNobodyIsOld_leavesAMargin(oldest: Int64?) {
        var floor = DueFloor()
        floor.took(count: oldest == nil ? 0 : 1, oldest: oldest, now: F.now, asked: 0, answered: 1)
        #expect(floor.cursor.dueAt == (F.now.seconds - 60) * 1_000_000 - 1)
    }

    @Test func floor_whenThereAreMany_isTheStart() {
        var floor = DueFloor()
        floor.took(count: DueFloor.rowLimit, oldest: 5, now: F.now, asked: 0, answered: 1)
        #expect(floor.cursor == .start)
    }

    /// Whoever is leased holds the floor down: they may be given back as they were.
    @Test func claims_whenSomebodyOldIsGivenBack_findThem() async throws {
        let fixture = try await F()
        try fixture.seed(1...3)
        let lease = UUID()
        let users = try await fixture.claim(lease: lease).map(\.userID)
        #expect(try await fixture.claim().isEmpty)
        try await fixture.store.release([users[0]], leaseID: lease)
        #expect(try await fixture.claim().map(\.userID) == [users[0]])
        // What a hand puts below is found once the next look is due, and at once where --once asks whether anybody is left.
        try fixture.sql("update nudged.person set due_at = '2020-01-01', lease_id = null, lease_until = null")
        #expect(try await fixture.claim().isEmpty)
        #expect(try await fixture.store.remaining(now: F.now).isAnyoneFree)
        #expect(try await fixture.claim().count == 3)
        await fixture.close()
    }
}
