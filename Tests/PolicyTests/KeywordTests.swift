import Policy
import Seeded
import TestSupport
import Testing

struct KeywordTests {
    private func isUrgent(_ keyword: String, _ text: String) throws -> Bool {
        let policy = Policy(rules: .defaults, zones: Fixture.zones)
        let now = Questions.at("2026-05-07T12:00:00Z")
        let inTitle = try policy.decide(Questions.message(text, keywords: [keyword]), now: now).urgent
        let inBody = try policy.decide(Questions.message("x", body: text, keywords: [keyword]), now: now).urgent
        #expect(inTitle == inBody)
        return inTitle
    }

    @Test(arguments: [
        ("urgent", "It is URGENT!"), ("server down", "the Server, DOWN again"), ("server down", "server\n\n--down"),
        ("ASAP", "asap"), ("緊急", "今緊急事態です"), ("ด่วน", "เรื่องด่วนมาก"), ("é", "E\u{301}"), ("e\u{301}", "É"),
        ("Å", "\u{212B}"), ("срочно", "СРОЧНО"), ("a a b", "a a a b"), ("İ", "i\u{307}"), ("24", "24/7"),
        ("urgent", "緊urgent急"), ("x²", "X²"), ("か\u{3099}", "か\u{3099}"), ("豈", "\u{F900}"), ("a1", "A1"),
        ("b", "\u{F900}b"), ("b", "ไb"), ("b", "\u{2F800}b"),
    ]) func keyword_whenItsTokensStandThere_occurs(keyword: String, text: String) throws {
        #expect(try isUrgent(keyword, text))
    }

    @Test(arguments: [
        ("urgent", "urgently"), ("urgent", "unurgent"), ("server down", "down server"),
        ("server down", "server is down"), ("", "anything"), ("--", "-- --"), ("!", "!"),
        ("strasse", "Straße"), ("緊急", "急緊"), ("緊急", "緊x急"), ("e", "é"), ("が", "か\u{3099}"), ("ab", "a b"),
        ("a b", "ab"), ("server down", "server"), ("σ", "ς"),
    ]) func keyword_whenItsTokensDoNotStandThere_doesNotOccur(keyword: String, text: String) throws {
        #expect(try !isUrgent(keyword, text))
    }

    @Test func keyword_whenTextsAreHuge_ends() throws {
        let text = String(repeating: "a ", count: 100_000)
        #expect(try !isUrgent(String(repeating: "a ", count: 40_000) + "b", text))
        #expect(try isUrgent("b", text + "b"))
    }

    /// A user may write as many keywords as fit into the preferences.
    @Test func keywords_whenThereAreThousands_areSearchedAtOnce() {
        let matcher = KeywordMatcher((0..<8_000).map { "a k\($0)" })
        let message = Message(title: "", body: String(repeating: "a ", count: 2_000), urgent: false)
        let time = processorTime { for _ in 0..<50 { #expect(!matcher.occurs(in: message)) } }
        // One keyword after the other, it would be 800,000,000 steps.
        #expect(time < .seconds(10))
        #expect(matcher.occurs(in: Message(title: "b", body: "a a k7999", urgent: false)))
    }

    @Test(arguments: Seeds.all) func keywords_whenTheyOverlap_occurAsOneByOne(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        func tokens(_ most: Int) -> [String] { (0..<random.int(0...most)).map { _ in random.pick(["a", "b", "c"]) } }
        for _ in 0..<2_000 {
            let keywords = (0..<random.int(1...4)).map { _ in tokens(4) }
            let text = tokens(12)
            let isThere = keywords.contains { keyword in
                !keyword.isEmpty && text.indices.contains { text[$0...].starts(with: keyword) }
            }
            let found = KeywordMatcher(keywords.map { $0.joined(separator: " ") })
                .occurs(in: Message(title: "", body: text.joined(separator: "-"), urgent: false))
            #expect(found == isThere, "seed \(seed): \(keywords) in \(text)")
        }
    }

    @Test func keyword_whenSplitOverTitleAndBody_doesNotOccur() throws {
        let policy = Policy(rules: .defaults, zones: Fixture.zones)
        let candidate = Questions.message("server", body: "down", keywords: ["server down"])
        #expect(try !policy.decide(candidate, now: Questions.at("2026-05-07T12:00:00Z")).urgent)
    }
}
