import Policy
import Seeded
import TestSupport
import Testing
import TimeZones

struct SkippedSlotsTests {
    private let policy = Policy(rules: .defaults, zones: Fixture.zones)

    private func skipped(_ candidate: Candidate, _ lastEvaluated: String, _ now: String) throws -> [String] {
        try policy.skippedSlots(candidate, lastEvaluated: Questions.at(lastEvaluated), now: Questions.at(now)).map {
            "\($0.slot.iso) \($0.reason) \($0.limit.rfc3339)"
        }
    }

    @Test func skippedSlots_whenEvaluatedInTimeOrHeld_areNone() throws {
        #expect(try skipped(Questions.checkIn(), "2026-05-07T07:00:00Z", "2026-05-07T11:59:59Z").isEmpty)
        #expect(try skipped(Questions.checkIn(), "2026-05-07T12:00:00Z", "2026-05-08T11:59:59Z").isEmpty)
        #expect(try skipped(Questions.checkIn(), "2026-05-08T12:00:00Z", "2026-05-07T12:00:00Z").isEmpty)
        var candidate = Questions.checkIn()
        candidate.paused = true
        #expect(try skipped(candidate, "2026-05-01T12:00:00Z", "2026-05-07T12:00:00Z").isEmpty)
        #expect(try skipped(Questions.message("x"), "2026-05-01T12:00:00Z", "2026-05-07T12:00:00Z").isEmpty)
    }

    @Test func skippedSlots_whenDaemonStood_areStale() throws {
        let found = try skipped(Questions.checkIn(), "2026-05-05T12:00:00Z", "2026-05-07T12:00:00Z")
        #expect(found == ["2026-05-06 stale 2026-05-06T12:00:00Z", "2026-05-07 stale 2026-05-07T12:00:00Z"])
        #expect(try skipped(Questions.checkIn(), "2026-01-01T00:00:00Z", "2026-05-07T12:00:00Z").count == 7)
    }

    @Test func skippedSlots_whenSentOrClosed_areNot() throws {
        var sent = History()
        sent.add(CheckIn(at: Questions.at("2026-05-06T08:00:00Z"), slot: Questions.day("2026-05-06")))
        #expect(try skipped(Questions.checkIn(history: sent), "2026-05-05T12:00:00Z", "2026-05-07T11:00:00Z").isEmpty)
        let closed = History(closed: [Questions.day("2026-05-06")])
        #expect(try skipped(Questions.checkIn(history: closed), "2026-05-05T12:00:00Z", "2026-05-07T11:00:00Z").isEmpty)
    }

    @Test func skippedSlots_whenCappedOrQuiet_sayWhy() throws {
        let history = History(sent: [Questions.at("2026-05-06T07:00:00Z")])
        let capped = Questions.checkIn(extra: ",\"max_per_day\":1", history: history)
        let cap = ["2026-05-06 capped 2026-05-06T12:00:00Z"]
        #expect(try skipped(capped, "2026-05-06T08:00:00Z", "2026-05-06T12:00:00Z") == cap)
        // 21:00 to 01:00, but quiet from 22:00 on.
        let late = Questions.checkIn(extra: ",\"check_in_time\":\"21:00\"")
        let quiet = ["2026-05-06 quiet_hours 2026-05-06T23:00:00Z"]
        #expect(try skipped(late, "2026-05-06T12:00:00Z", "2026-05-07T00:00:00Z") == quiet)
    }

    /// Every slot that a daemon asking in time would have sent, and nothing else, is found after it slept.
    @Test(arguments: Seeds.all) func skippedSlots_whenEvaluatedOnceOrInSteps_areTheSame(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        for _ in 0..<150 {
            let candidate = Questions.checkIn(
                random.pick(["daily", "few_times_a_week", "weekly"]),
                extra: ",\"check_in_time\":\"1\(random.int(0...9)):30\""
            )
            let start = Instant(seconds: 1_770_000_000 + Int64(random.int(0...30_000_000)))
            let end = start + Int64(random.int(3600...6 * 86_400))
            let whole = try policy.skippedSlots(candidate, lastEvaluated: start, now: end)
            var stepped: [SkippedSlot] = []
            var at = start
            while at < end {
                let next = min(at + Int64(random.int(60...100_000)), end)
                stepped += try policy.skippedSlots(candidate, lastEvaluated: at, now: next)
                at = next
            }
            #expect(stepped == whole, "seed \(seed)")
            #expect(whole.allSatisfy { start < $0.limit && $0.limit <= end }, "seed \(seed)")
        }
    }
}
