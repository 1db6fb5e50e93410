/// Finds a user's priority keywords in a message, token by token.
///
/// Tokens become small numbers first: `String` hashes and compares by canonical equivalence, so the search itself is over integers,
/// and linear in the text for each keyword, whatever a sender wrote.
struct KeywordMatcher {
    private var numbers: [String: Int] = [:]
    private var keywords: [[Int]] = []

    init(_ keywords: [String]) {
        for keyword in keywords {
            var tokens: [Int] = []
            for token in Tokens(keyword) {
                let number = numbers[token] ?? numbers.count
                numbers[token] = number
                tokens.append(number)
            }
            // A keyword without tokens never occurs.
            if !tokens.isEmpty { self.keywords.append(tokens) }
        }
    }

    /// Whether one occurs in the title or in the body.
    func occurs(in message: Message) -> Bool {
        guard !keywords.isEmpty else { return false }
        return occurs(in: message.title) || occurs(in: message.body)
    }

    private func occurs(in text: String) -> Bool {
        // A token of no keyword is -1 and interrupts every match.
        let tokens = Tokens(text).map { numbers[$0] ?? -1 }
        return keywords.contains { Self.occurs($0, in: tokens) }
    }

    /// Knuth, Morris and Pratt's search.
    private static func occurs(_ keyword: [Int], in tokens: [Int]) -> Bool {
        guard keyword.count <= tokens.count else { return false }
        var borders = [0]
        var matched = 0
        for token in keyword.dropFirst() {
            while matched > 0, keyword[matched] != token { matched = borders[matched - 1] }
            if keyword[matched] == token { matched += 1 }
            borders.append(matched)
        }
        matched = 0
        for token in tokens {
            while matched > 0, keyword[matched] != token { matched = borders[matched - 1] }
            if keyword[matched] == token { matched += 1 }
            if matched == keyword.count { return true }
        }
        return false
    }
}
