internal import FoundationEssentials
import JSON

/// Writes JSON text (RFC 8259) directly into bytes.
enum JSONText {
    /// A string in quotes. Most texts have nothing to escape.
    static func append(_ text: String, to out: inout [UInt8]) {
        var text = text
        let isPlain = text.withUTF8 { bytes in
            let isPlain = ByteScan.all(bytes, filler: UInt8(ascii: "a")) { word in
                !ByteScan.hasLess(than: 0x20, in: word) && !ByteScan.has(0x22, in: word)
                    && !ByteScan.has(0x5C, in: word)
            }
            guard isPlain else { return false }
            out.append(UInt8(ascii: "\""))
            out.append(contentsOf: bytes)
            out.append(UInt8(ascii: "\""))
            return true
        }
        if !isPlain { JSONWriter.appendQuoted(text, to: &out) }
    }

    /// A literal, then a string in quotes. Nothing without a string.
    static func append(literal: StaticString, _ text: String?, to out: inout [UInt8]) {
        guard let text else { return }
        append(literal: literal, to: &out)
        append(text, to: &out)
    }

    /// A literal, then a number or JSON text as it is. Nothing without a value.
    static func append(literal: StaticString, raw value: (some CustomStringConvertible)?, to out: inout [UInt8]) {
        guard let value else { return }
        append(literal: literal, to: &out)
        out.append(contentsOf: value.description.utf8)
    }

    /// The 36 characters in lower case (RFC 9562, section 4), without quotes.
    static func append(_ uuid: UUID, to out: inout [UInt8]) {
        var text = InlineArray<36, UInt8>(repeating: UInt8(ascii: "-"))
        withUnsafeBytes(of: uuid.uuid) { bytes in
            var place = 0
            for (index, byte) in bytes.enumerated() {
                if index == 4 || index == 6 || index == 8 || index == 10 { place += 1 }
                text[place] = hexadecimal(byte >> 4)
                text[place + 1] = hexadecimal(byte & 15)
                place += 2
            }
        }
        text.span.withUnsafeBufferPointer { out.append(contentsOf: $0) }
    }

    /// Sixteen lower-case digits, without quotes.
    static func append(hexadecimal word: UInt64, to out: inout [UInt8]) {
        for place in 0..<16 { out.append(hexadecimal(UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * place)) & 15)) }
    }

    /// A literal of this program that needs no escape.
    static func append(literal text: StaticString, to out: inout [UInt8]) {
        text.withUTF8Buffer { out.append(contentsOf: $0) }
    }

    static func hexadecimal(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? nibble + UInt8(ascii: "0") : nibble - 10 + UInt8(ascii: "a")
    }
}

/// Tests every byte of a text, eight at a time: each push's token, collapse id and texts are checked.
enum ByteScan {
    static let ones: UInt64 = 0x0101_0101_0101_0101
    static let tops: UInt64 = 0x8080_8080_8080_8080

    /// Whether a test holds for all bytes.
    ///
    /// - Parameters:
    ///   - filler: A byte that passes the test. It fills up the last group of eight.
    ///   - test: Whether all eight bytes of a word pass.
    @inline(__always)
    static func all(_ bytes: UnsafeBufferPointer<UInt8>, filler: UInt8, _ test: (UInt64) -> Bool) -> Bool {
        let raw = UnsafeRawBufferPointer(bytes)
        var place = 0
        while place + 8 <= raw.count {
            guard test(raw.loadUnaligned(fromByteOffset: place, as: UInt64.self)) else { return false }
            place += 8
        }
        guard place < raw.count else { return true }
        var last = UInt64(filler)
        for index in place..<raw.count { last = last << 8 | UInt64(raw[index]) }
        for _ in raw.count - place..<7 { last = last << 8 | UInt64(filler) }
        return test(last)
    }

    /// The top bits of the bytes that are at least `least`. All bytes and `least` must be below 0x80.
    @inline(__always)
    static func tops(of word: UInt64, from least: UInt64) -> UInt64 { (word &+ ones &* (0x80 &- least)) & tops }

    /// Whether one of the eight bytes is `byte`.
    @inline(__always)
    static func has(_ byte: UInt64, in word: UInt64) -> Bool {
        let zeros = word ^ (ones &* byte)
        return (zeros &- ones) & ~zeros & tops != 0
    }

    /// Whether one of the eight bytes is below `least`, which is at most 0x80.
    @inline(__always)
    static func hasLess(than least: UInt64, in word: UInt64) -> Bool { (word &- ones &* least) & ~word & tops != 0 }
}
