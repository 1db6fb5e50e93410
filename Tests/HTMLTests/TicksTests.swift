import Seeded
import Testing
import TestSupport

@testable import HTML

@Suite struct TicksTests {
    @Test(arguments: [
        (0, [0, 1]), (1, [0, 1]), (3, [0, 2, 4]), (10, [0, 5, 10]), (11, [0, 10, 20]), (1000, [0, 500, 1000]),
        (1001, [0, 1000, 2000]),
    ])
    func ticks_whenTwoAreWanted_areRound(greatest: Int, values: [Int]) {
        #expect(Ticks(covering: greatest, wanted: 2).values == values)
    }

    @Test(arguments: Seeds.all) func ticks_whateverTheyCover_beginAtZeroAreEqualAndCoverItClosely(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        for _ in 0..<2_000 {
            let greatest = Int.random(in: 0...(1 << Int.random(in: 0...62, using: &generator)), using: &generator)
            let wanted = Int.random(in: 1...8, using: &generator)
            let ticks = Ticks(covering: greatest, wanted: wanted)
            let step = ticks.values[1]
            #expect(
                ticks.values.first == 0 && ticks.values.count <= wanted + 1,
                "\(greatest) \(wanted): \(ticks.values)"
            )
            #expect(zip(ticks.values, ticks.values.dropFirst()).allSatisfy { $1 - $0 == step })
            let bound = min(max(greatest, 1), Int.max / 16)
            #expect(ticks.top >= bound && ticks.top - step < bound, "\(greatest) \(wanted): \(ticks.values)")
            let digits = String(step)
            #expect("125".contains(digits.prefix(1)) && digits.dropFirst().allSatisfy { $0 == "0" })
        }
    }

    @Test func fraction_isWithinTheAxis() {
        let ticks = Ticks(covering: 8, wanted: 2)
        #expect(ticks.top == 10)
        #expect([-1, 0, 5, 10, 11].map(ticks.fraction) == [0, 0, 0.5, 1, 1])
    }
}
