import Policy
import Seeded
import TestSupport
import Testing
import TimeZones

struct HistoryTests {
    private let now = Questions.at("2026-05-07T12:00:00Z")
    private let today = Questions.day("2026-05-07")

    private func checkIn(_ days: Int, _ hours: Int64 = 0) -> CheckIn {
        CheckIn(at: now + Int64(days) * 86_400 + hours * 3600, slot: today + days)
    }

    @Test func history_whenCheckInIsAddedAndRemoved_isAsBefore() {
        let before = History(checkIns: [checkIn(-1)], closed: [today], sent: [now])
        var history = before
        history.add(checkIn(0, 1))
        #expect(history.checkIns.count == 2 && history.sent.count == 2)
        history.remove(checkIn(0, 1))
        #expect(history == before)
        history.remove(checkIn(-5))
        #expect(history == before)
        history.close(today)
        #expect(history.closed == [today])
        history.close(today + 1)
        #expect(history.closed == [today, today + 1])
    }

    @Test func trimmed_whenOld_keepsWhatCanBeAskedFor() {
        var history = History()
        for days in 0..<30 {
            history.add(checkIn(-days, -1))
            history.close(today - days)
        }
        // Its slot is old, but it was sent last.
        history.checkIns.append(CheckIn(at: now, slot: today - 20))
        let trimmed = history.trimmed(now: now, cap: 100)
        #expect(trimmed.checkIns.map(\.slot) == (0...8).map { today - $0 } + [today - 20])
        #expect(trimmed.closed == (0...14).map { today - $0 })
        #expect(trimmed.sent == [now - 3600])
        #expect(trimmed.trimmed(now: now, cap: 100) == trimmed)
    }

    @Test func trimmed_whenMoreThanCap_keepsNewest() {
        let history = History(sent: (0..<50).map { now - $0 * 60 })
        #expect(history.trimmed(now: now, cap: 3).sent == [now, now - 60, now - 120])
        #expect(history.trimmed(now: now, cap: 0).sent.isEmpty)
    }

    @Test func trimmed_whenEntriesAreFarAhead_theyPushNothingOut() {
        let ahead = (1...100).map { CheckIn(at: now + 49 * 3600 + Int64($0), slot: today + 2 + $0) }
        let real = [checkIn(0, -1), checkIn(-2)]
        let history = History(checkIns: ahead + real, sent: ahead.map(\.at) + real.map(\.at))
        let trimmed = history.trimmed(now: now, cap: 5)
        #expect(real.allSatisfy(trimmed.checkIns.contains))
        #expect(trimmed.sent.contains(now - 3600))
        #expect(trimmed.checkIns.count <= 10 && trimmed.sent.count <= 9)
    }

    /// The policy answers by the trimmed history as by the whole one.
    @Test(arguments: Seeds.all) func trimmed_whenAsked_answersAsTheWhole(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<1500 {
            var history = History()
            for _ in 0..<random.int(0...25) {
                let days = random.int(-20...1)
                history.add(checkIn(days, Int64(random.int(-12...(days > 0 ? 0 : 30)))))
            }
            for _ in 0..<random.int(0...30) { history.add(sent: now - Int64(random.int(-90_000...200_000))) }
            for _ in 0..<random.int(0...5) { history.close(today + random.int(-6...6)) }
            let caps = ",\"max_per_hour\":\(random.int(1...4)),\"max_per_day\":\(random.int(1...8))"
            let frequency = random.pick(["daily", "few_times_a_week", "weekly"])
            let policy = Policy(rules: Rules { $0.maxStalenessMinutes = 2880 }, zones: Fixture.zones)
            let whole = Questions.checkIn(frequency, extra: caps, history: history)
            var trimmed = whole
            trimmed.history = history.trimmed(now: now, cap: 8)
            for hours in 0..<6 {
                let later = now + Int64(hours * hours) * 3600
                let answers = try [whole, trimmed].map { try policy.decide($0, now: later) }
                #expect(answers[0] == answers[1], "seed \(seed): \(history)")
            }
        }
    }
}
