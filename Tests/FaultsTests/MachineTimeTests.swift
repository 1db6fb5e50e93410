import Testing

@testable import Faults

@Suite struct MachineTimeTests {
    /// Milliseconds of machine time after ticks of 20 ms for a second, with so much waiting in each.
    @Test(arguments: [(0, 1000), (4_000, 1000), (15_000, 250), (20_000, 0)] as [(Int64, Int64)])
    func time_whenSomebodyWaits_leavesThatOut(waited: Int64, counted: Int64) {
        var time = MachineTime()
        for tick in 0...50 { time.tick(wall: Int64(tick) * 20_000, waited: Int64(tick) * waited) }
        #expect(time.microseconds / 1000 == counted)
    }
}
