/// Appends one JSON document to a byte buffer, without an intermediate tree.
///
/// The writer adds commas and colons. The caller must match begins and ends, and use keys only in objects.
public struct JSONWriter: Sendable {
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false

    public init() { bytes.reserveCapacity(256) }

    public var string: String { String(decoding: bytes, as: UTF8.self) }

    public mutating func beginObject() { begin(UInt8(ascii: "{")) }
    public mutating func endObject() { end(UInt8(ascii: "}")) }
    public mutating func beginArray() { begin(UInt8(ascii: "[")) }
    public mutating func endArray() { end(UInt8(ascii: "]")) }

    public mutating func key(_ key: String) {
        separate()
        Self.appendQuoted(key, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func string(_ value: String) {
        separate()
        Self.appendQuoted(value, to: &bytes)
    }

    public mutating func int(_ value: some FixedWidthInteger) {
        separate()
        appendDecimal(value)
    }

    /// A number. One that is not finite becomes null.
    public mutating func number(_ value: Double) { word(value.isFinite ? value.description : "null") }

    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    public mutating func null() { word("null") }

    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .int(let value): int(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let object):
            beginObject()
            for member in object.members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    private mutating func word(_ word: String) {
        separate()
        bytes.append(contentsOf: word.utf8)
    }

    private mutating func begin(_ byte: UInt8) {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        bytes.append(byte)
        needsComma = false
    }

    private mutating func end(_ byte: UInt8) {
        bytes.append(byte)
        needsComma = true
    }

    @inline(__always)
    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    private mutating func appendDecimal(_ value: some FixedWidthInteger) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
    }

    package static func appendQuoted(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { content in
            // Runs without characters to escape are copied whole.
            var run = 0
            for index in content.indices where mustEscape(content[index]) {
                bytes.append(contentsOf: content[run..<index])
                appendEscape(content[index], to: &bytes)
                run = index + 1
            }
            bytes.append(contentsOf: content[run...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    @inline(__always)
    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        default:
            let digits: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
