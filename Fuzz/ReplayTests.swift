import Seeded
import TestSupport
import Testing

/// Reads the fuzzers' first inputs, and some that are made from them, without libFuzzer.
struct ReplayTests {
    @Test(arguments: FuzzTarget.allCases, [1, TestSupport.Seeds.extra])
    func inputs_whenReadByTheirTarget_breakNothing(target: FuzzTarget, seed: UInt64) async {
        var random = SplitMix64(seed: seed)
        let inputs = Seeds.inputs(of: target)
        for input in inputs {
            _ = await target.run(input)
            for _ in 0..<10 { _ = await target.run(Self.changed(input, inputs, &random)) }
        }
    }

    /// A few bytes cut, doubled, replaced, or taken from another input.
    private static func changed(_ input: [UInt8], _ others: [[UInt8]], _ random: inout SplitMix64) -> [UInt8] {
        var bytes = input
        for _ in 0..<random.int(1...3) {
            let start = random.int(0...bytes.count)
            let end = random.int(start...min(start + 8, bytes.count))
            switch random.int(0...3) {
            case 0: bytes.removeSubrange(start..<end)
            case 1: bytes.insert(contentsOf: bytes[start..<end], at: end)
            case 2: for place in start..<end { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
            default: bytes.replaceSubrange(start..., with: random.pick(others).dropFirst(start))
            }
        }
        return bytes
    }
}

/// Records an invariant that does not hold. In the fuzzers, `FuzzEntry` has this function, and it ends the process.
func require(_ holds: Bool, _ text: @autoclosure () -> String) {
    if !holds { Issue.record("broken: \(text())") }
}
