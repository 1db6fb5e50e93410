import Testing

@testable import Service

/// Spans and counts for a person.
@Suite struct ElapsedTests {
    @Test(arguments: [
        (0, "0 s"), (-5, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "119 min"), (7200, "2 h"), (172_800, "2 days"),
        (Int64.max, "106,751,991,167,300 days"),
    ]) func elapsed_whenTheSecondsAre(seconds: Int64, text: String) { #expect(Elapsed.text(seconds) == text) }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func grouped_whenTheNumberIs(number: Int, text: String) { #expect(Elapsed.grouped(number) == text) }
}
