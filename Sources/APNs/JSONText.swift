internal import FoundationEssentials
import JSON

/// Writes JSON text (RFC 8259) directly into bytes.
enum JSONText {
    /// A string in quotes.
    static func append(_ text: String, to out: inout [UInt8]) { JSONValue.appendQuoted(text, to: &out) }

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
