import Testing

@testable import APNs

/// What looks eight bytes through at once says the same as one byte after another.
struct ByteScanTests {
    @Test func tokens_whenAnyByteIsAnywhere() {
        for length in [2, 6, 8, 10, 64, 200] {
            for byte in UInt8(0)...0x7F {
                let isDigit = Character(UnicodeScalar(byte)).isHexDigit
                for place in [0, 1, 7, 8, length / 2, length - 1] where place < length {
                    var text = [UInt8](repeating: UInt8(ascii: "f"), count: length)
                    text[place] = byte
                    #expect(
                        DeviceToken.isValid(String(decoding: text, as: UTF8.self)) == isDigit,
                        "\(byte) at \(place) of \(length)"
                    )
                }
            }
        }
        #expect(!DeviceToken.isValid("abcdefg\u{E9}"))
    }

    @Test func texts_whenAnyByteIsAnywhere() {
        for length in [1, 7, 8, 9, 17] {
            for byte in UInt8(0)...0x7F {
                for place in [0, length / 2, length - 1] {
                    var text = [UInt8](repeating: UInt8(ascii: "a"), count: length)
                    text[place] = byte
                    var out: [UInt8] = []
                    JSONText.append(String(decoding: text, as: UTF8.self), to: &out)
                    let isEscaped = out.count > length + 2
                    #expect(
                        isEscaped == (byte < 0x20 || byte == 0x22 || byte == 0x5C),
                        "\(byte) at \(place) of \(length)"
                    )
                }
            }
        }
        var out: [UInt8] = []
        JSONText.append("Grüße 🌍 aus Köln", to: &out)
        #expect(String(decoding: out, as: UTF8.self) == "\"Grüße 🌍 aus Köln\"")
    }
}
