import Testing

@testable import Core

@Suite struct TemplateTextTests {
    /// The database's check says the same of each (StoreTests/TemplateTests).
    @Test(arguments: [
        "", "plain", "{a}", "{first_name}, hello", "{{", "}}", "{{}}", "{{{a}}}", "{a}{b}", "{a1_}", "🙂 {a} é",
        "{first_name}{{}}}}",
    ]) func syntax_whenWritten_isTaken(text: String) { #expect(TemplateText(text) != nil) }

    @Test(arguments: [
        "{", "}", "a {b", "a} b", "{}", "{A}", "{1a}", "{ a}", "{a }", "{a-b}", "{é}", "{{a}", "{a}}", "{{{a}}",
        "{_a}", "{a{b}}",
    ]) func syntax_whenABraceBelongsToNoPlaceholder_isRefused(text: String) { #expect(TemplateText(text) == nil) }

    @Test func names_whenLong_areTakenUpTo63() {
        #expect(TemplateText("{\(String(repeating: "a", count: 63))}") != nil)
        #expect(TemplateText("{\(String(repeating: "a", count: 64))}") == nil)
    }

    @Test func text_whenFilled_hasItsTextAndBraces() throws {
        let json = #"{"name": " Ann\t", "n": 3, "empty": " ", "no": null, "f": 1.5, "b": true}"#
        let context = RecipientContext(json: json)
        func fill(_ text: String) throws -> String? { try #require(TemplateText(text)).filled(from: context) }
        #expect(try fill("{{{name}}} has {n} {{friends}}") == "{Ann} has 3 {friends}")
        #expect(try fill("") == "")
        for name in ["empty", "no", "f", "b", "other"] { #expect(try fill("a {\(name)}") == nil, "\(name)") }
        #expect(TemplateText("{a} {b}{a}")?.names == ["a", "b", "a"])
    }
}

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
