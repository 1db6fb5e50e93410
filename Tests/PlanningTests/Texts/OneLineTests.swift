import Base
import Testing

@testable import Core

/// What others say, as the record and a row's state take it.
@Suite struct OneLineTests {
    @Test func oneLine_leavesWhatJSONBTakes() {
        #expect("a\u{0}b\nc\u{9B}d".oneLine == "a b c d")
        // Marks that turn the order, join, or are invisible, or mean nothing.
        #expect("no\u{202E}tes\u{2066}t\u{200B}\u{FEFF}\u{E0041}\u{AD}\u{E000}".oneLine == "notest")
        #expect("a\u{2028}b\u{2029}c".oneLine == "a b c")
        #expect("e\u{301}\u{1F600}\u{4E2D}".oneLine == "e\u{301}\u{1F600}\u{4E2D}")
        #expect(String(repeating: "x", count: 900).oneLine.count == 500)
    }
}
