/// Finds a user's priority keywords in a message, token by token.
///
/// Tokens are numbered first, because `String` hashes and compares by canonical equivalence. So the search compares
/// integers, and its time is linear in the text for each keyword, whatever the text is.
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

    /// Whether a keyword occurs in the title or in the body.
    func occurs(in message: Message) -> Bool {
        guard !keywords.isEmpty else { return false }
        return occurs(in: message.title) || occurs(in: message.body)
    }

    private func occurs(in text: String) -> Bool {
        // A token that is in no keyword gets -1 and matches nothing.
        let tokens = Tokens(text).map { numbers[$0] ?? -1 }
        return keywords.contains { Self.occurs($0, in: tokens) }
    }

    /// The search of Knuth, Morris and Pratt.
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
