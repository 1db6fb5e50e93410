import Testing

@testable import Core

@Suite struct RecipientContextTests {
    @Test(arguments: [nil, "", "null", "[]", "\"text\"", "7", "{", #"{"a": 1"#]) func context_whenNoObject_isEmpty(
        json: String?
    ) {
        #expect(RecipientContext(json: json) == RecipientContext.none)
        #expect(RecipientContext.none.conversationID == nil && RecipientContext.none.domain == nil)
        #expect(RecipientContext.none.locales.isEmpty)
    }

    @Test func locales_whenExact_fallBackToTheLanguage() {
        func locales(_ text: String) -> [String] { RecipientContext(json: #"{"locale": "\#(text)"}"#).locales }
        #expect(locales("de") == ["de"])
        #expect(locales("pt_BR.UTF-8") == ["pt-br", "pt"])
        #expect(locales("zh-Hant-TW") == ["zh-hant-tw", "zh-hant", "zh"])
        #expect(locales("de-x-work") == ["de-x-work", "de"])
        #expect(RecipientContext(json: #"{"locale": 7}"#).locales.isEmpty)
    }

    @Test func conversation_whenNoUUID_isNone() {
        let id = "0F4A1C3E-9b7d-4c2a-8e5f-001122334455"
        func found(_ json: String) -> String? { RecipientContext(json: json).conversationID?.uuidString }
        #expect(found(#"{"conversation_id": "\#(id)"}"#) == id.uppercased())
        for json in [#"{"conversation_id": "seven"}"#, #"{"conversation_id": 7}"#, "{}"] { #expect(found(json) == nil) }
    }

    /// A line break in a name is no name.
    @Test func text_whenItHoldsControls_isNone() {
        #expect(RecipientContext(json: #"{"name": "Ann\nBob"}"#).text("name") == nil)
        #expect(RecipientContext(json: #"{"name": "\u00a0Ann Bob\n"}"#).text("name") == "Ann Bob")
    }
}
