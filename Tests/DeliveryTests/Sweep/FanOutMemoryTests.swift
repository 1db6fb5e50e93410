import Testing

import struct FoundationEssentials.UUID

@testable import Core

@Suite struct FanOutMemoryTests {
    @Test func leave_whenItFailsAgainAndAgain_isLeftLongerEachTime() {
        var memory = FanOutMemory()
        let (one, other) = (UUID(), UUID())
        var now: Int64 = 0
        for pause: Int64 in [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000] {
            memory.leave(one, at: now)
            #expect(memory.left(at: now + pause - 1) == [one])
            #expect(memory.left(at: now + pause) == [])
            now += pause
        }
        memory.wentOn(one)
        memory.leave(one, at: now)
        memory.leave(other, at: now)
        #expect(Set(memory.left(at: now + 4_999) ?? []) == [one, other])
        #expect(memory.left(at: now + 5_000) == [])
    }

    /// A view that hangs holds up the claims for a fifth of the time at most, and is given more time each time.
    @Test func rest_whenTheViewTakesTooLong_leavesAllForFiveTimesAsLong() {
        var memory = FanOutMemory()
        var now: Int64 = 0
        for _ in 0..<6 {
            let patience = memory.patience
            memory.rest(at: now)
            #expect(memory.left(at: now + min(5 * patience, 600_000) - 1) == nil)
            #expect(memory.patience == 2 * patience)
            now += 600_000
            #expect(memory.left(at: now) == [])
        }
        memory.wentOn(UUID())
        #expect(memory.patience == 2_000)
    }

    /// The memory is bounded; those that are left yet stay left, however many come.
    @Test func leave_whenManyAreLeft_forgetsOnlyWhoseTimeIsOver() {
        var memory = FanOutMemory()
        let old = UUID()
        memory.leave(old, at: 0)
        let living = (0..<1_000).map { _ in UUID() }
        for one in living { memory.leave(one, at: 10_000) }
        #expect(Set(memory.left(at: 10_001) ?? []) == Set(living))
        // Forgotten: it fails as if for the first time.
        memory.leave(old, at: 10_000)
        #expect(memory.left(at: 14_999)?.contains(old) == true && memory.left(at: 15_000) == [])
    }
}

@Suite struct RecordTallyTests {
    @Test func tally_countsByKindAndOutcome() {
        var tally = RecordTally()
        tally.enter(.accepted, of: "check_in", 2)
        tally.enter(.accepted, of: "message")
        tally.enter(.rejected, of: "message", 3)
        var sum = RecordTally()
        sum.add(tally)
        sum.add(tally)
        sum.enter(.deferred, of: "a newer kind")
        #expect(sum.count(.deferred) == 1 && RecordTally().count(.deferred) == 0)
        #expect(sum.count(.accepted) == 6 && sum.count(.accepted, of: "message") == 2)
        #expect(sum.count(.rejected, of: "message") == 6 && sum.count(.rejected, of: "check_in") == 0)
    }

    /// The journal's text and the metrics show the same counts.
    @Test func report_countsWhatItEntered() {
        var report = SweepReport()
        for (place, outcome) in DeliveryRecord.Outcome.allCases.enumerated() {
            for _ in 0...place { report.record.enter(outcome, of: place % 2 == 0 ? "check_in" : "reminder") }
        }
        let rest: [DeliveryRecord.Outcome] = [.deferred, .dropped, .skipped, .unknown]
        let counts = [report.sent, report.rejected] + rest.map { report.record.count($0) }
        #expect(counts == [1, 2, 3, 4, 5, 6] && report.record.count(.unknown, of: "reminder") == 6)
    }
}
