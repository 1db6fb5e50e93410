import Testing

@testable import Delivery

/// What others say, as a row's state takes it.
@Suite struct OneLineTests {
    @Test func oneLine_leavesWhatJSONBTakes() {
        #expect("a\u{0}b\nc\u{9B}d".oneLine == "a b c d")
        #expect(String(repeating: "x", count: 900).oneLine.count == 500)
    }
}
