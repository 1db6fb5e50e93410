import TestSupport
import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

/// Finding the one among many, without a database.
struct BisectionTests {
    /// Everything is tried until all but the bad ones have passed, each of those alone.
    @Test(arguments: [[], [0], [7], [0, 1, 99], Array(0..<100)] as [[Int]])
    func next_whenSomeAreRefused_leavesNobodyElse(bad: [Int]) {
        var bisection = Bisection(Array(0..<100))
        var passed: [Int] = []
        var refused: [Int] = []
        var attempts = 0
        while let piece = bisection.next() {
            attempts += 1
            if piece.contains(where: bad.contains) {
                if let one = bisection.refused(piece) { refused.append(one) }
            } else {
                passed += piece
            }
        }
        #expect(refused == bad && passed == (0..<100).filter { !bad.contains($0) })
        #expect(attempts <= 1 + 2 * 7 * max(bad.count, 0) || bad.count > 3)
        #expect(bisection.isSearching == !bad.isEmpty)
    }

    @Test func giveUp_returnsWhatWasNotTried() {
        var bisection = Bisection(Array(0..<8))
        let first = bisection.next() ?? []
        _ = bisection.refused(first)
        #expect(bisection.next() == [0, 1, 2, 3])
        #expect(bisection.giveUp() == [4, 5, 6, 7] && bisection.next() == nil)
    }

    @Test func suspects_whenThereAreMany_areBounded() {
        var aside = SetAside()
        let users = (0..<1_500).map { _ in UUID() }
        for (place, user) in users.enumerated() { aside.suspect(user, at: Int64(place)) }
        let suspects = aside.suspects(at: 2_000)
        #expect(suspects.count == SetAside.mostSuspects && suspects.contains(users[1_499]))
        #expect(!suspects.contains(users[0]))
        #expect(aside.suspects(at: SetAside.suspectMilliseconds + 3_000).isEmpty)
    }

    @Test func skipped_whenAHeldRowWasSkipped_isForHalfAMinute() {
        var aside = SetAside()
        let (held, refused) = (UUID(), UUID())
        aside.skip(held, at: 0)
        aside.skip(Refusal(userID: refused, error: "22003"), at: 0)
        #expect(Set(aside.skipped(at: 29_999)) == [held, refused])
        #expect(aside.skipped(at: 30_001) == [refused])
        #expect(aside.skipped(at: 3_600_001).isEmpty)
    }

    /// A server in trouble refuses anybody. Nobody is left out for a day because of that.
    @Test func skipped_whenTheServerMayBeTheCause_isShortAtFirst() {
        var aside = SetAside()
        let refusal = Refusal(userID: UUID(), error: "53200", cause: .maybeServer)
        var now: Int64 = 0
        for seconds in [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 512] as [Int64] {
            aside.skip(refusal, at: now)
            // A read that succeeds says nothing of what comes after it.
            aside.clear(refusal.userID)
            #expect(aside.skipped(at: now + seconds * 1000 - 1) == [refusal.userID])
            now += seconds * 1000
            #expect(aside.skipped(at: now).isEmpty)
        }
    }

    /// Behind a long transaction's dead rows the looks start where touches are; what came to light late is found by the look at all.
    @Test func touchFloor_whenTouchesWereFound_startsBehindThem() {
        var floor = TouchFloor()
        #expect(floor.start(at: 0) == 0)
        floor.took(start: 0, ids: (1_000_000, 1_000_400), isFull: false, asked: 0, answered: 10)
        #expect(floor.start(at: 20) == 1_000_400 - TouchFloor.margin)
        #expect(floor.start(at: 5_011) == 0)
        // A look that took a second is taken every twenty; meanwhile nothing below is looked at, though nothing was found.
        floor.took(start: 0, ids: nil, isFull: false, asked: 6_000, answered: 7_000)
        #expect(floor.start(at: 26_999) == 1_000_400 - TouchFloor.margin && floor.start(at: 27_001) == 0)
        floor.forget()
        #expect(floor.start(at: 7_001) == 0)
    }
}

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

/// How often urgent messages are looked for.
@Suite struct ExpressPaceTests {
    @Test func look_whenItIsCheap_isDueAtOnce() {
        var pace = LookPace.express
        #expect(pace.isDue(at: 0))
        pace.took(asked: 10, answered: 14)
        #expect(pace.isDue(at: 14))
    }

    /// A long transaction elsewhere keeps dead rows at the head of the index.
    @Test func look_whenItIsDear_takesAFifthOfTheTime() {
        var pace = LookPace.express
        pace.took(asked: 0, answered: 105)
        #expect(!pace.isDue(at: 504) && pace.isDue(at: 505))
    }
}
