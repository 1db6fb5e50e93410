import Testing

@testable import Operator

@Suite struct TextPageTests {
    @Test func page_whenALineIsTooLong_goesOnIndented() {
        var page = TextPage(width: 40)
        page.field("devices", "one two three four five six seven eight")
        page.field("", "short")
        page.columns("  ", [("paused", 14), ("pass", 6)], "")
        page.line("none")
        #expect(
            page.text == """
                  devices          one two three four
                                   five six seven eight
                                   short
                  paused        pass
                none
                """
        )
    }

    /// A word that fits nowhere stands alone; nothing is lost and nothing loops.
    @Test func page_whenAWordIsLongerThanTheLine_keepsIt() {
        var page = TextPage(width: 40)
        let word = String(repeating: "x", count: 60)
        page.field("preferences", "\(word) end")
        page.line(word)
        let words = page.text.split { $0 == " " || $0 == "\n" }.map(String.init)
        #expect(words == ["preferences", word, "end", word])
    }

    /// An app's text that clears the screen, begins a line of its own, or does so by C1.
    @Test func page_whenATextSpeaksToTheTerminal_takesThatOut() {
        var page = TextPage(width: 80)
        page.field("zone", "\u{1B}[2J\ndecision send\r\u{9B}31m")
        page.columns("", [("\u{1B}]8;;x", 10)], "\u{2028}")
        page.line("\u{202E}abc")
        #expect(!page.text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || (127...159).contains($0.value) })
        #expect(!page.text.unicodeScalars.contains("\u{202E}") && !page.text.unicodeScalars.contains("\u{2028}"))
        #expect(page.text.split(separator: "\n").count == 3)
    }
}
