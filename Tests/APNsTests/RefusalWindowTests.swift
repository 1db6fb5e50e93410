import Seeded
import TestSupport
import Testing

@testable import APNs

@Suite struct RefusalWindowTests {
    private static func suspect(_ tag: UInt64, _ reason: String = "BadDeviceToken") -> RefusalWindow.Suspect {
        .init(batch: 1, token: RefusedToken(tag: tag, reason: reason))
    }

    @Test(arguments: [(50, false), (51, true), (100, true), (1, false)])
    func window_whenAHundredAnswersCame_goesByTheMajority(refused: Int, isMisconfigured: Bool) throws {
        var window = RefusalWindow()
        var outcomes: [RefusalWindow.Outcome] = []
        for number in 0..<100 {
            let outcome =
                number < refused
                ? window.refused(Self.suspect(UInt64(number)), now: 1_000) : window.answered(now: 1_000)
            if let outcome {
                #expect(number == 99, "before the window is full")
                outcomes.append(outcome)
            }
        }
        let suspects = (0..<UInt64(refused)).map { Self.suspect($0) }
        #expect(outcomes == [isMisconfigured ? .misconfigured(reason: "BadDeviceToken") : .quarantine(suspects)])
        #expect(window.suspects.isEmpty && window.closesAt == nil)
    }

    @Test func window_whenAMinuteIsOver_decidesOnWhatCame() {
        var window = RefusalWindow()
        #expect(window.refused(Self.suspect(7), now: 5_000) == nil)
        #expect(window.closesAt == 65_000)
        #expect(window.tick(now: 64_999) == nil)
        #expect(window.tick(now: 65_000) == .quarantine([Self.suspect(7)]))
        #expect(window.tick(now: 200_000) == nil, "once")
    }

    /// Few answers are no proof against the lane: with fewer than a hundred, each device speaks for itself.
    @Test func window_whenFewAnswersCameAndAllAreBad_blamesTheDevices() {
        var window = RefusalWindow()
        for tag in 0..<99 { #expect(window.refused(Self.suspect(UInt64(tag)), now: 0) == nil) }
        guard case .quarantine(let suspects) = window.tick(now: 60_000) else {
            Issue.record("no quarantine")
            return
        }
        #expect(suspects.count == 99)
    }

    @Test func window_whenItsTimeIsOverAtTheNextAnswer_closesWithoutIt() {
        var window = RefusalWindow()
        _ = window.refused(Self.suspect(1), now: 0)
        #expect(window.refused(Self.suspect(2), now: 60_000) == .quarantine([Self.suspect(1)]))
        #expect(window.suspects == [Self.suspect(2)] && window.closesAt == 120_000)
    }

    @Test func window_whenNobodyIsRefused_needsNoTimer() {
        var window = RefusalWindow()
        for _ in 0..<1_000 { #expect(window.answered(now: 0) == nil) }
        #expect(window.closesAt == nil && window.close() == nil)
    }

    /// Held against a list of answers that is cut at each hundredth and at each minute.
    @Test(arguments: Seeds.all) func anyAnswers_areCountedAsWritten(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var window = RefusalWindow()
            var answers: [(at: Int64, tag: UInt64?)] = []
            var now: Int64 = 0
            let share = random.next() % 100
            for tag in 0..<500 as Range<UInt64> {
                now += Int64(random.next() % 2_000)
                let isBad = random.next() % 100 < share
                var expected: RefusalWindow.Outcome?
                if let first = answers.first, now - first.at >= 60_000 {
                    expected = Self.decide(answers.compactMap(\.tag), of: answers.count)
                    answers = []
                }
                answers.append((now, isBad ? tag : nil))
                if answers.count == 100 {
                    expected = Self.decide(answers.compactMap(\.tag), of: 100)
                    answers = []
                }
                let outcome = isBad ? window.refused(Self.suspect(tag), now: now) : window.answered(now: now)
                #expect(outcome == expected, "seed \(seed), answer \(tag)")
            }
        }
    }

    private static func decide(_ bad: [UInt64], of all: Int) -> RefusalWindow.Outcome? {
        if bad.isEmpty { return nil }
        return all >= 100 && bad.count > all / 2
            ? .misconfigured(reason: "BadDeviceToken") : .quarantine(bad.map { suspect($0) })
    }
}
