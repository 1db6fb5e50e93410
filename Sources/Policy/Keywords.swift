/// Finds a user's priority keywords in a message, token by token, with the automaton of Aho and Corasick.
///
/// Tokens are numbered first, because `String` hashes and compares by canonical equivalence. So the search compares
/// integers. Its time is linear in the text, however many keywords the user wrote.
///
/// A class, so that copies of a candidate share it.
package final class KeywordMatcher: Sendable {
    private struct Step: Hashable {
        let state: Int
        let token: Int
    }

    private let numbers: [String: Int]
    /// A state is the beginning of a keyword. State 0 has no token yet.
    private let steps: [Step: Int]
    /// For each state, the longest other state that its tokens end with.
    private let fallbacks: [Int]
    /// Whether a keyword ends with the state's tokens.
    private let isFound: [Bool]

    package init(_ keywords: [String]) {
        var numbers: [String: Int] = [:]
        var steps: [Step: Int] = [:]
        // For each state, the last step to it and its number of tokens.
        var ways = [(last: Step(state: 0, token: 0), length: 0)]
        var isFound = [false]
        for keyword in keywords {
            var state = 0
            for token in Tokens.list(keyword) {
                let number = numbers[token] ?? numbers.count
                numbers[token] = number
                let step = Step(state: state, token: number)
                if let known = steps[step] {
                    state = known
                } else {
                    ways.append((step, ways[state].length + 1))
                    isFound.append(false)
                    state = ways.count - 1
                    steps[step] = state
                }
            }
            // A keyword without tokens never occurs.
            if state > 0 { isFound[state] = true }
        }
        var fallbacks = Array(repeating: 0, count: ways.count)
        // The shortest first, since a fallback is shorter than its state. A state of one token falls back to 0.
        let longer = ways.indices.filter { ways[$0].length > 1 }.sorted { ways[$0].length < ways[$1].length }
        for state in longer {
            let last = ways[state].last
            var place = fallbacks[last.state]
            while place > 0, steps[Step(state: place, token: last.token)] == nil { place = fallbacks[place] }
            fallbacks[state] = steps[Step(state: place, token: last.token)] ?? 0
            isFound[state] = isFound[state] || isFound[fallbacks[state]]
        }
        (self.numbers, self.steps, self.fallbacks, self.isFound) = (numbers, steps, fallbacks, isFound)
    }

    package func occurs(in message: Message) -> Bool { occurs(in: message.title) || occurs(in: message.body) }

    private func occurs(in text: String) -> Bool {
        guard !steps.isEmpty else { return false }
        var state = 0
        for token in Tokens.list(text) {
            // A token of no keyword matches nothing.
            guard let number = numbers[token] else {
                state = 0
                continue
            }
            while state > 0, steps[Step(state: state, token: number)] == nil { state = fallbacks[state] }
            state = steps[Step(state: state, token: number)] ?? 0
            if isFound[state] { return true }
        }
        return false
    }
}

/// The tokens of a text, by docs/POLICY-SPEC.md, "Messages": the longest runs of scalars of the categories L, N or M,
/// in lower case. A scalar of a script without spaces is a token by itself.
///
/// Scalars, not characters: one grapheme can contain scalars of two tokens.
private enum Tokens {
    static func list(_ text: String) -> [String] {
        var tokens: [String] = []
        var run = String.UnicodeScalarView()
        func endRun() {
            // Each scalar becomes lower case without regard to its neighbours.
            if !run.isEmpty { tokens.append(String(run).lowercased()) }
            run = String.UnicodeScalarView()
        }
        for scalar in text.unicodeScalars {
            switch kind(scalar) {
            case .letter: run.append(scalar)
            case .separator: endRun()
            case .ideograph:
                endRun()
                tokens.append(scalar.properties.lowercaseMapping)
            }
        }
        endRun()
        return tokens
    }

    private enum Kind { case separator, letter, ideograph }

    private static func kind(_ scalar: Unicode.Scalar) -> Kind {
        if scalar.isASCII {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": return .letter
            default: return .separator
            }
        }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark:
            switch scalar.value {
            // Scripts that are written without spaces.
            case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3040...0x30FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
                0xF900...0xFAFF, 0x20000...0x2FFFF:
                return .ideograph
            default: return .letter
            }
        default: return .separator
        }
    }
}
