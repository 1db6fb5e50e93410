import Testing

@testable import Daemon

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
}
