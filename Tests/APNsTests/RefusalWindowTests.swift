import Seeded
import TestSupport
import Testing

@testable import APNs

@Suite struct RefusalWindowTests {
    /// What a window says, without the receivers.
    private enum Verdict: Equatable {
        case quarantine([Int])
        case misconfigured(String)

        init?(_ outcome: RefusalWindow.Outcome?) {
            switch outcome {
            case nil: return nil
            case .quarantine(let suspects): self = .quarantine(suspects.map(\.token.slot))
            case .misconfigured(let reason): self = .misconfigured(reason)
            }
        }
    }

    private static func suspect(_ slot: Int) -> RefusalWindow.Suspect {
        .init(token: RefusedToken(slot: slot, reason: "BadDeviceToken"), receiver: RefusalReceiver { _ in })
    }

    @Test(arguments: [(50, false), (51, true), (100, true), (1, false)])
    func window_whenAHundredAnswersCame_goesByTheMajority(refused: Int, isMisconfigured: Bool) throws {
        var window = RefusalWindow()
        var verdicts: [Verdict] = []
        for number in 0..<100 {
            let outcome =
                number < refused ? window.refused(Self.suspect(number), now: 1_000) : window.answered(now: 1_000)
            if let verdict = Verdict(outcome) {
                #expect(number == 99, "before the window is full")
                verdicts.append(verdict)
            }
        }
        #expect(verdicts == [isMisconfigured ? .misconfigured("BadDeviceToken") : .quarantine(Array(0..<refused))])
        #expect(window.suspects.isEmpty && window.closesAt == nil)
    }

    /// Few answers are no proof against the lane: with fewer than a hundred, each device speaks for itself.
    @Test func window_whenFewAnswersCameAndAllAreBad_blamesTheDevices() {
        var window = RefusalWindow()
        for slot in 0..<99 { #expect(Verdict(window.refused(Self.suspect(slot), now: 0)) == nil) }
        guard case .quarantine(let suspects) = window.tick(now: 60_000) else { return fail("no quarantine") }
        #expect(suspects.count == 99)
    }

    @Test func window_whenNobodyIsRefused_needsNoTimer() {
        var window = RefusalWindow()
        for _ in 0..<1_000 { #expect(Verdict(window.answered(now: 0)) == nil) }
        #expect(window.closesAt == nil && Verdict(window.close()) == nil)
    }

    /// Held against a list of answers that is cut at each hundredth and at each minute.
    @Test(arguments: Seeds.all) func anyAnswers_areCountedAsWritten(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            var window = RefusalWindow()
            var answers: [(at: Int64, slot: Int?)] = []
            var now: Int64 = 0
            let share = random.next() % 100
            // So that some windows are full and others are over.
            let pace = 1 + random.next() % 2_000
            for slot in 0..<500 {
                now += Int64(random.next() % pace)
                let isBad = random.next() % 100 < share
                var expected: Verdict?
                if let first = answers.first, now - first.at >= 60_000 {
                    expected = Self.decide(answers.compactMap(\.slot), of: answers.count)
                    answers = []
                }
                answers.append((now, isBad ? slot : nil))
                if answers.count == 100 {
                    expected = Self.decide(answers.compactMap(\.slot), of: 100)
                    answers = []
                }
                let outcome = isBad ? window.refused(Self.suspect(slot), now: now) : window.answered(now: now)
                #expect(Verdict(outcome) == expected, "seed \(seed), answer \(slot)")
            }
        }
    }

    private static func decide(_ bad: [Int], of all: Int) -> Verdict? {
        if bad.isEmpty { return nil }
        return all >= 100 && bad.count > all / 2 ? .misconfigured("BadDeviceToken") : .quarantine(bad)
    }
}
