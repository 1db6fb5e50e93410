import Base
import Testing

@testable import Core

@Suite struct BlankTests {
    @Test(arguments: ["", " ", "\t\n", "\u{A0}", "\u{3000}", "\u{200B}", "\u{2060}\u{FEFF} ", "\u{AD}", "\u{202F}"])
    func text_whenAPhoneWouldShowNothing_isBlank(text: String) {
        #expect(text.isBlank)
        #expect(RecipientContext(json: "{\"first_name\": \"\(text)\"}").text("first_name") == nil)
    }

    @Test(arguments: [".", "…", "•", "あ", "👋", "\u{200B}é", "👨\u{200D}👩"]) func text_whenItShowsAnything_isNotBlank(
        text: String
    ) {
        #expect(!text.isBlank)
        #expect(RecipientContext(json: "{\"first_name\": \"\(text)\"}").text("first_name") != nil)
    }
}

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
