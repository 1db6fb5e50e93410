extension JSONValue {
    /// The value as a JSON text, without white space. A number that is not finite becomes null.
    package var document: String { String(decoding: bytes, as: UTF8.self) }

    /// The same as UTF-8.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        append(to: &bytes)
        return bytes
    }

    private func append(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .int(let value): bytes.append(contentsOf: value.description.utf8)
        case .number(let value): bytes.append(contentsOf: (value.isFinite ? value.description : "null").utf8)
        case .string(let value): Self.appendQuoted(value, to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (place, element) in elements.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                element.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let object):
            bytes.append(UInt8(ascii: "{"))
            for (place, member) in object.members.enumerated() {
                if place > 0 { bytes.append(UInt8(ascii: ",")) }
                Self.appendQuoted(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.append(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
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

// Embedded Swift has no values of protocol types.
#if !hasFeature(Embedded)
    package protocol JSONPart {
        var part: JSONValue { get }
    }

    /// A JSON object with its members in the order of the literal. Nil becomes null.
    package struct Fields: JSONPart, Sendable, ExpressibleByDictionaryLiteral {
        private var members: [JSONObject.Member]

        package init(dictionaryLiteral members: (String, (any JSONPart)?)...) {
            self.members = members.map { JSONObject.Member(key: $0, value: $1?.part ?? .null) }
        }

        package init(_ counts: [(name: String, count: Int)]) {
            members = counts.map { JSONObject.Member(key: $0.name, value: $0.count.part) }
        }

        package var object: JSONObject { JSONObject(members) }
        package var part: JSONValue { .object(object) }

        /// `document` of a literal.
        package static func text(_ fields: Fields) -> String { fields.document }

        package static func + (first: Fields, second: Fields) -> Fields {
            var all = first
            all.members += second.members
            return all
        }
    }

    extension JSONPart {
        package var document: String { part.document }
    }

    extension JSONObject: JSONPart { package var part: JSONValue { .object(self) } }
    extension JSONValue: JSONPart { package var part: JSONValue { self } }
    extension String: JSONPart { package var part: JSONValue { .string(self) } }
    extension Bool: JSONPart { package var part: JSONValue { .bool(self) } }
    extension Int: JSONPart { package var part: JSONValue { .int(Int64(self)) } }
    extension Int16: JSONPart { package var part: JSONValue { .int(Int64(self)) } }
    extension Int32: JSONPart { package var part: JSONValue { .int(Int64(self)) } }
    extension Int64: JSONPart { package var part: JSONValue { .int(self) } }
    extension Array: JSONPart where Element: JSONPart { package var part: JSONValue { .array(map(\.part)) } }
#endif
