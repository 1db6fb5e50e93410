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
