import Seeded
import Testing
import TestSupport

@testable import Operator

/// Nothing that comes from elsewhere becomes markup.
@Suite struct NodeTests {
    @Test func text_whenItHoldsMarkupOrControlCharacters_showsThem() {
        let hostile = "<script>alert('a' & \"b\")</script>"
        #expect(Node.text(hostile).markup == "&lt;script&gt;alert(&#39;a&#39; &amp; &quot;b&quot;)&lt;/script&gt;")
        let node = Node("p", ["title": "\"><b>"], text: "x")
        #expect(node.markup == "<p title=\"&quot;&gt;&lt;b&gt;\">x</p>")
        #expect(Node.text("a\u{0}b\u{1B}[2J\u{9F}c\nd\te").markup == "a b [2J c\nd\te")
    }

    @Test func element_whenItIsVoid_hasNoEndTag() {
        #expect(Node("br").markup == "<br>")
        #expect(Node("p").markup == "<p></p>")
        #expect(Node.group([.text("a"), Node("hr")]).document == "<!DOCTYPE html>\na<hr>\n")
    }

    @Test(arguments: Seeds.all) func markup_whateverTheText_holdsNoneOfItsCharactersThatMeanSomething(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let alphabet = Array("<>&\"'a \u{0}\u{7F}é\u{2028}🙂")
        for _ in 0..<500 {
            let text = String((0..<generator.int(0...40)).map { _ in generator.pick(alphabet) })
            let markup = Node.text(text).markup
            #expect(!markup.contains { "<>\"'\u{0}".contains($0) })
            // Read back as a browser does.
            var read = markup
            for (name, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")] {
                read = read.replacing(name, with: character)
            }
            let shown = text.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? " " : $0 }
            #expect(read == String(String.UnicodeScalarView(shown)))
        }
    }

    @Test(arguments: [
        (0.0, "0%"), (1.0, "100%"), (0.125, "12.5%"), (1.0 / 3, "33.333%"), (0.00004, "0.004%"), (0.1005, "10.05%"),
        (-1.0, "0%"), (7.0, "100%"),
    ]) func percent_isShortAndExact(fraction: Double, text: String) { #expect(percent(fraction) == text) }
}
