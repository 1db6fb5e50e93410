import Testing

@testable import Operator

@Suite struct ClockSkewTests {
    @Test(arguments: [
        (0, 0, Finding.Level.ok), (1_999_999, 0, .ok), (-2_000_000, 0, .ok), (2_000_001, 0, .warning),
        (-2_000_001, 0, .warning), (300_000_000, 0, .warning), (300_000_001, 0, .error), (-7_200_000_000, 0, .error),
        // What the trip took may have been all on one side of it.
        (2_400_000, 500_000, .ok), (2_600_000, 500_000, .warning), (300_400_000, 500_000, .warning),
        (.max, 0, .error), (.min, .max, .ok),
    ]) func finding_isByWhatIsSure(ahead: Int64, margin: Int64, expected: Finding.Level) {
        #expect(Finding.clock(whose: "Apple's", ahead: ahead, margin: margin).level == expected)
    }

    @Test func text_saysSideAndSeconds() {
        let behind = Finding.clock(whose: "Apple's", ahead: -125_300_000, margin: 0)
        #expect(behind.found == "Apple's clock is 125.30 s behind this machine's")
        #expect(behind.remedy?.contains("timedatectl") == true)
        let ahead = Finding.clock(whose: "the database's", ahead: 3_050_000, margin: 0)
        #expect(ahead.found == "the database's clock is 3.05 s ahead of this machine's")
    }
}
