import Testing

@testable import Operator

@Suite struct ProgressLineTests {
    private static let start = "\r\u{1B}[K"

    @Test func bar_whenItGrows_fillsTheLine() {
        var bar = ProgressLine("replanning", width: 60)
        #expect(bar.clear() == nil)
        func line(_ full: Int, _ tail: String) -> String {
            Self.start + "replanning [" + String(repeating: "=", count: full)
                + String(repeating: " ", count: 24 - full) + "] " + tail
        }
        #expect(bar.draw(0, of: 2000) == line(0, "  0 %      0 of 2,000"))
        #expect(bar.draw(1000, of: 2000) == line(12, " 50 %  1,000 of 2,000"))
        #expect(bar.draw(1000, of: 2000) == nil)
        // Users who came meanwhile.
        #expect(bar.draw(2100, of: 2000) == line(24, "100 %  2,100 of 2,000"))
        #expect(bar.clear() == Self.start)
    }

    @Test(arguments: [20, 30, 60, 80, 120]) func bar_whateverTheWidth_staysOnItsLine(width: Int) throws {
        var bar = ProgressLine("replanning", width: width)
        for done in [0, 9_999_999, 10_000_000] {
            let drawn = bar.draw(done, of: 10_000_000)
            let text = try #require(drawn)
            #expect(text.count - Self.start.count < width)
        }
        #expect(bar.draw(0, of: 0)?.contains("100 %") == true)
    }
}
