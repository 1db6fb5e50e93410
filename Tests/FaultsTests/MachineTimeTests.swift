import Testing

@testable import Faults

@Suite struct MachineTimeTests {
    /// Milliseconds of machine time after ticks of 20 ms for a second.
    private static func second(waitedPerTick: Int64) -> Int64 {
        var time = MachineTime()
        for tick in 0...50 { time.tick(wall: Int64(tick) * 20_000, waited: Int64(tick) * waitedPerTick) }
        return time.microseconds / 1000
    }

    @Test func time_whenNobodyWaits_passesLikeOnTheWall() { #expect(Self.second(waitedPerTick: 0) == 1000) }

    @Test func time_whenWaitsAreShort_passesLikeOnTheWall() { #expect(Self.second(waitedPerTick: 4_000) == 1000) }

    @Test func time_whenSomebodyWaits_leavesThatOut() { #expect(Self.second(waitedPerTick: 15_000) == 250) }

    @Test func time_whenSomebodyWaitsAllTheTime_standsStill() { #expect(Self.second(waitedPerTick: 20_000) == 0) }

    @Test func time_whenTheProcessWasStopped_countsATenthOfASecond() {
        var time = MachineTime()
        time.tick(wall: 0, waited: 0)
        time.tick(wall: 60_000_000, waited: 60_000_000)
        time.tick(wall: 60_020_000, waited: 60_000_000)
        #expect(time.microseconds == 120_000)
    }

    @Test func time_whenTheKernelCountsLater_subtractsItThen() {
        var time = MachineTime()
        for tick in 0...100 { time.tick(wall: Int64(tick) * 20_000, waited: tick < 50 ? 0 : 500_000) }
        #expect(time.microseconds == 1_500_000)
    }
}
