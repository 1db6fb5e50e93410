package import FoundationEssentials

/// SplitMix64 (Steele, Lea, Flood 2014): the same draws for the same seed, on every machine.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SplitMix64 {
    /// (The standard library's own mapping may change between releases.)
    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + Int(next() % UInt64(range.count))
    }

    /// One of them, by weight; nil if there is none.
    package mutating func pick<Element>(weighted elements: [(Element, Int)]) -> Element? {
        let total = elements.reduce(0) { $0 + $1.1 }
        guard total > 0 else { return nil }
        var left = number(0...total - 1)
        for (element, weight) in elements {
            if left < weight { return element }
            left -= weight
        }
        return nil
    }

    package mutating func hex(_ digits: Int) -> String {
        var text = ""
        while text.utf8.count < digits {
            let word = String(next(), radix: 16)
            text += String(repeating: "0", count: 16 - word.utf8.count) + word
        }
        return String(text.prefix(digits))
    }

    /// A UUID of version 4 (RFC 9562, section 5.4).
    package mutating func uuid() -> UUID {
        // Little endian: the version is in byte 6, the variant in byte 8.
        let high = next() & ~(0xF0 << 48) | 0x40 << 48
        let low = next() & ~0xC0 | 0x80
        return withUnsafeBytes(of: (high.littleEndian, low.littleEndian)) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }
}
