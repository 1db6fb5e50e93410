import Testing

@testable import Service

@Suite struct PrintableTests {
    /// What would clear a terminal, begin a line or turn the writing round.
    @Test(arguments: [
        "\u{0}", "\n", "\r", "\t", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{200B}", "\u{202E}", "\u{2028}",
        "\u{2029}", "\u{FEFF}",
    ]) func text_whenItSpeaksToTheTerminal_isShownAsUnknown(scalar: String) {
        #expect("a\(scalar)b".printable == "a\u{FFFD}b")
    }

    @Test func text_whenItIsText_staysAsItIs() {
        for text in ["", "task 42", "Ünïcödé", "日本語", "👋🏽", "e\u{301}", "a\u{A0}b"] { #expect(text.printable == text) }
    }
}
