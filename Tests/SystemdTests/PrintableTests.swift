import Testing

@testable import Systemd

@Suite struct PrintableTests {
    /// What would clear a terminal, begin a line or turn the order of characters round.
    static let unprintable = [
        "\u{0}", "\r", "\t", "\u{7}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{AD}", "\u{200B}", "\u{200E}", "\u{202A}",
        "\u{202E}", "\u{2066}", "\u{2069}", "\u{61C}", "\u{2028}", "\u{2029}", "\u{FEFF}", "\u{E0041}",
    ]

    @Test(arguments: PrintableTests.unprintable) func text_whenItControlsTheTerminal_isMasked(scalar: String) {
        #expect("a\(scalar)b".printable == "a\u{FFFD}b")
        #expect("a\(scalar)b\nc".printableLines == "a\u{FFFD}b\nc")
        #expect("a\nb".printable == "a\u{FFFD}b")
    }

    @Test func text_whenItIsText_staysAsItIs() {
        for text in ["", "task 42", "Ünïcödé", "日本語", "👋🏽", "e\u{301}", "a\u{A0}b", "\u{FFFD}"] {
            #expect(text.printable == text && text.printableLines == text && text.printableJSON == text)
        }
    }

    @Test(arguments: [
        ("\u{9B}", "\\u009b"), ("\u{7F}", "\\u007f"), ("\u{202E}", "\\u202e"), ("\u{E0041}", "\\udb40\\udc41"),
    ])
    func json_whenAValueControlsTheTerminal_hasAnEscape(scalar: String, escape: String) {
        #expect("{\"a\":\"x\(scalar)y\"}\n".printableJSON == "{\"a\":\"x\(escape)y\"}\n")
    }

    /// A log line on a terminal, with an operating system command and a turned order.
    @Test func logLine_whenItHoldsEscapes_hasTheirNumbers() {
        #expect(LogRecord.escaped("a\u{1B}]0;x\u{7}b\u{202E}c\n\t") == "a\\u{1b}]0;x\\u{7}b\\u{202e}c\\n\\t")
    }
}
