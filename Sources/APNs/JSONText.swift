internal import FoundationEssentials

/// Writes JSON text (RFC 8259) directly into bytes.
enum JSONText {
    /// A string in quotes. Runs without characters to escape are copied whole.
    static func append(_ text: String, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { bytes in
            // Most texts have nothing to escape.
            let isPlain = ByteScan.all(bytes, filler: UInt8(ascii: "a")) { word in
                !ByteScan.hasLess(than: 0x20, in: word) && !ByteScan.has(0x22, in: word)
                    && !ByteScan.has(0x5C, in: word)
            }
            if isPlain { return out.append(contentsOf: bytes) }
            var start = 0
            for (index, byte) in bytes.enumerated() where byte < 0x20 || byte == 0x22 || byte == 0x5C {
                out.append(contentsOf: bytes[start..<index])
                appendEscape(of: byte, to: &out)
                start = index + 1
            }
            out.append(contentsOf: bytes[start...])
        }
        out.append(UInt8(ascii: "\""))
    }

    static func append(_ number: some BinaryInteger, to out: inout [UInt8]) {
        out.append(contentsOf: number.description.utf8)
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

    private static func appendEscape(of byte: UInt8, to out: inout [UInt8]) {
        out.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x22, 0x5C: out.append(byte)
        case 0x08: out.append(UInt8(ascii: "b"))
        case 0x09: out.append(UInt8(ascii: "t"))
        case 0x0A: out.append(UInt8(ascii: "n"))
        case 0x0C: out.append(UInt8(ascii: "f"))
        case 0x0D: out.append(UInt8(ascii: "r"))
        default:
            out.append(contentsOf: "u00".utf8)
            out.append(hexadecimal(byte >> 4))
            out.append(hexadecimal(byte & 15))
        }
    }
}
