import TestSupport
import Testing

@testable import Chaos

@Suite struct PlanTests {
    @Test(arguments: Seeds.all) func plan_isTheSame_whenSeedIs(seed: UInt64) {
        #expect(Array(ChaosPlan(seed: seed).prefix(500)) == Array(ChaosPlan(seed: seed).prefix(500)))
        #expect(Array(ChaosPlan(seed: seed).prefix(500)) != Array(ChaosPlan(seed: seed + 1).prefix(500)))
        #expect(Set(ChaosPlan(seed: seed).prefix(2_000).map(\.act.name)).count == 11, "every act comes, seed \(seed)")
    }

    @Test(arguments: Seeds.all) func push_carriesItsNumber_whenMade(seed: UInt64) {
        for number in [1, 77, UInt64.max] {
            #expect(ChaosPush.number(of: ChaosPush.id(number, seed: seed)) == number)
        }
    }

    @Test(arguments: Seeds.all) func outcome_neverTakesAPushThatItThenDenies(seed: UInt64) {
        for number in 1...20_000 as ClosedRange<UInt64> {
            let outcome = ScriptedOutcome.of(number, attempt: 0, seed: seed)
            #expect(outcome == ScriptedOutcome.of(number, attempt: 0, seed: seed))
            if case .answer(.accepted(.reset(let code))) = outcome { #expect(code != 7, "seed \(seed)") }
        }
    }

    @Test func announcements_areKept_whenGoingAway() {
        var announcements = StreamAnnouncements()
        // Once 5 was processed GOAWAY can't put it above its last stream; at 7 it can, and is the first that isn't processed.
        let answers = [
            announcements.process(5), announcements.goAway(at: 3, processesThis: true),
            announcements.goAway(at: 7, processesThis: false),
            announcements.process(7), announcements.process(9), announcements.process(3),
        ]
        #expect(answers == [true, false, true, false, false, true])
    }
}
