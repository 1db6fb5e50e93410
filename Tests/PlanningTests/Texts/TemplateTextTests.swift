import Testing

@testable import Core

@Suite struct TemplateTextTests {
    /// The database's check says the same of each (StoreTests/TemplateTests).
    @Test(arguments: [
        "", "plain", "{a}", "{first_name}, hello", "{{", "}}", "{{}}", "{{{a}}}", "{a}{b}", "{a1_}", "🙂 {a} é",
        "{first_name}{{}}}}",
    ]) func syntax_whenWritten_isTaken(text: String) {
        #expect(TemplateText(text) != nil)
    }

    @Test(arguments: [
        "{", "}", "a {b", "a} b", "{}", "{A}", "{1a}", "{ a}", "{a }", "{a-b}", "{é}", "{{a}", "{a}}", "{{{a}}",
        "{_a}", "{a{b}}",
    ]) func syntax_whenABraceBelongsToNoPlaceholder_isRefused(text: String) {
        #expect(TemplateText(text) == nil)
    }

    @Test func names_whenLong_areTakenUpTo63() {
        #expect(TemplateText("{\(String(repeating: "a", count: 63))}") != nil)
        #expect(TemplateText("{\(String(repeating: "a", count: 64))}") == nil)
    }

    @Test func text_whenFilled_hasItsTextAndBraces() throws {
        let context = RecipientContext(
            json: #"{"name": " Ann\t", "n": 3, "empty": " ", "no": null, "f": 1.5, "b": true}"#
        )
        func fill(_ text: String) throws -> String? { try #require(TemplateText(text)).filled(from: context) }
        #expect(try fill("{{{name}}} has {n} {{friends}}") == "{Ann} has 3 {friends}")
        #expect(try fill("") == "")
        for name in ["empty", "no", "f", "b", "other"] { #expect(try fill("a {\(name)}") == nil, "\(name)") }
        #expect(TemplateText("{a} {b}{a}")?.names == ["a", "b", "a"])
    }
}
