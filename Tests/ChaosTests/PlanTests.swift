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
            let push = ChaosPush.make(number, seed: seed, now: 0)
            #expect(ChaosPush.number(of: push.apnsID) == number)
            #expect(push.payload == ChaosPush.make(number, seed: seed, now: 0).payload)
        }
    }

    @Test(arguments: Seeds.all) func fate_neverTakesAPushThatItThenDenies(seed: UInt64) {
        for number in 1...20_000 as ClosedRange<UInt64> {
            let fate = PushFate.of(number, attempt: 0, seed: seed)
            #expect(fate == PushFate.of(number, attempt: 0, seed: seed))
            if case .answer(.accepted(.reset(let code))) = fate { #expect(code != 7, "seed \(seed)") }
        }
    }

    @Test func words_areKept_whenGoingAway() {
        var words = StreamWords()
        // Once 5 was processed GOAWAY can't put it above its last stream; at 7 it can, and is the first that isn't processed.
        let answers = [
            words.process(5), words.goAway(at: 3, processesThis: true), words.goAway(at: 7, processesThis: false),
            words.process(7), words.process(9), words.process(3),
        ]
        #expect(answers == [true, false, true, false, false, true])
    }
}
