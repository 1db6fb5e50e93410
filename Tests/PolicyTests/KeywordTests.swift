import Policy
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
        ("ASAP", "asap"),
        ("緊急", "今緊急事態です"), ("ด่วน", "เรื่องด่วนมาก"), ("é", "E\u{301}"), ("e\u{301}", "É"), ("Å", "\u{212B}"),
        ("срочно", "СРОЧНО"), ("a a b", "a a a b"),
        ("İ", "i\u{307}"), ("24", "24/7"), ("urgent", "緊urgent急"), ("x²", "X²"), ("か\u{3099}", "か\u{3099}"),
        ("豈", "\u{F900}"), ("a1", "A1"), ("b", "\u{F900}b"), ("b", "ไb"), ("b", "\u{2F800}b"),
    ])
    func keyword_whenItsTokensStandThere_occurs(keyword: String, text: String) throws {
        #expect(try isUrgent(keyword, text))
    }

    @Test(arguments: [
        ("urgent", "urgently"), ("urgent", "unurgent"), ("server down", "down server"),
        ("server down", "server is down"), ("", "anything"), ("--", "-- --"), ("!", "!"),
        ("strasse", "Straße"), ("緊急", "急緊"), ("緊急", "緊x急"), ("e", "é"), ("が", "か\u{3099}"), ("ab", "a b"),
        ("a b", "ab"), ("server down", "server"), ("σ", "ς"),
    ])
    func keyword_whenItsTokensDoNotStandThere_doesNotOccur(keyword: String, text: String) throws {
        #expect(try !isUrgent(keyword, text))
    }

    @Test func keyword_whenTextsAreHuge_ends() throws {
        let text = String(repeating: "a ", count: 100_000)
        #expect(try !isUrgent(String(repeating: "a ", count: 40_000) + "b", text))
        #expect(try isUrgent("b", text + "b"))
    }

    @Test func keyword_whenSplitOverTitleAndBody_doesNotOccur() throws {
        let policy = Policy(rules: .defaults, zones: Fixture.zones)
        let candidate = Questions.message("server", body: "down", keywords: ["server down"])
        #expect(try !policy.decide(candidate, now: Questions.at("2026-05-07T12:00:00Z")).urgent)
    }
}
