import Seeded
import TestSupport
import Testing

@testable import Core

@Suite struct QuotationTests {
    @Test(arguments: [
        ("", "text that is long", ""), ("nothing", "", "nothing"), ("a b c", "!!!", "a b c"),
        // 11 bytes are not yet a quotation, 12 are.
        ("x abcdefghijk x", "abcdefghijk and more", "x abcdefghijk x"),
        ("x abcdefghijkl x", "abcdefghijkl and more", "x … x"),
        ("x abc, DEF: ghi/jkl x", "...abcdef ghijkl...", "x … x"),
        // Four ideographs, six Cyrillic letters.
        ("他说明天见面了", "我们明天见面吧", "他说…了"), ("про встречу", "Встреча у моста", "про …у"),
        ("code 471", "code 4711 please", "code 471"), ("pin 4711", "it is 4711 now", "pin …"),
        ("about tea", "Tea", "about tea"), ("about teas", "Teas", "about …"),
        ("twice abcdefghijkl, abcdefghijkl", "abcdefghijkl", "twice …, …"),
    ]) func reason_losesWhatItQuotes(reason: String, text: String, masked: String) {
        #expect(Quotation.masked(reason, of: [text]) == masked)
    }

    /// Wherever the reason has a piece of the text, that piece is removed, and nothing around it.
    @Test(arguments: Seeds.all) func piece_isAlwaysGone(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        for _ in 0..<200 {
            let text = String((0..<random.int(12...60)).map { _ in random.pick(Array("abcdef")) })
            let length = random.int(12...text.count)
            let start = random.int(0...(text.count - length))
            let piece = text.dropFirst(start).prefix(length)
            let masked = Quotation.masked("123 \(piece) 789", of: ["other", text])
            #expect(masked == "123 … 789", "seed \(seed): \(piece) of \(text)")
        }
    }
}
