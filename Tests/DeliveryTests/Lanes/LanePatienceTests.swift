import Testing
import TimeZones

import struct FoundationEssentials.UUID

@testable import Core

@Suite struct LanePatienceTests {
    @Test(arguments: [(0, 1, 2), (60_000, 60, 120), (86_400_000, 450, 900)])
    func wait_growsWithTheTroubleAndIsSpread(fullFor: Int64, least: Int64, most: Int64) {
        let now = Instant(seconds: 1_000)
        let user = UUID()
        let waits = (0..<1_000).map { LanePatience.until(now, full: fullFor, user, boot: $0).seconds - 1_000 }
        #expect(waits.min() == least && waits.max() == most)
    }
}
