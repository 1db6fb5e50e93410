import Testing

@testable import Configuration

@Suite struct DurationTextTests {
    @Test(arguments: [
        ("500ms", 500_000), ("1s", 1_000_000), ("5m", 300_000_000), ("2h", 7_200_000_000), ("1", 1_000_000),
        ("0.5", 500_000),
        ("0.3s", 300_000), ("1.5m", 90_000_000), ("0", 0), ("0.000001", 1),
    ])
    func duration_whenTheTextIs(text: String, microseconds: Int) {
        #expect(DurationText.parse(text) == .microseconds(microseconds))
    }

    @Test(arguments: [
        "", "s", "-1s", "1 s", "1d", "1.2.3", ".5", "5.", "١s", "1e3", "99999999999999999999", "1S", "+1", "0.0000001",
    ])
    func nothing_whenTheTextIs(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(arguments: [0, 1, 999, 1000, 500_000, 1_000_000, 90_000_000, 300_000_000, 7_200_000_000, 1_234_567])
    func format_isReadBack(microseconds: Int) {
        let duration = Duration.microseconds(microseconds)
        #expect(DurationText.parse(DurationText.format(duration)) == duration)
    }
}
