import Seeded

extension SplitMix64 {
    /// True this often in a thousand. (The standard library's own mappings may change between releases.)
    mutating func chance(_ perMille: UInt64) -> Bool { next() % 1000 < perMille }

    /// A number in the range.
    mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of them; nil if there is none.
    mutating func pick<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[Int(next() % UInt64(elements.count))]
    }

    /// One of them, by weight; nil if there is none.
    mutating func pick<Element>(weighted elements: [(Element, Int)]) -> Element? {
        let total = elements.reduce(0) { $0 + $1.1 }
        guard total > 0 else { return nil }
        var left = number(0...total - 1)
        for (element, weight) in elements {
            if left < weight { return element }
            left -= weight
        }
        return nil
    }

    /// This many lower-case hexadecimal digits.
    mutating func hex(_ digits: Int) -> String {
        var text = ""
        while text.utf8.count < digits {
            let word = String(next(), radix: 16)
            text += String(repeating: "0", count: 16 - word.utf8.count) + word
        }
        return String(text.prefix(digits))
    }
}
