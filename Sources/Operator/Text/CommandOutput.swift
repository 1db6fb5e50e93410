import JSON
package import Systemd
import TimeZones

import struct FoundationEssentials.UUID

/// What a command answers, for a person and for a program.
package protocol CommandOutput: Sendable {
    /// For a person. Lines without a newline at the end.
    func text(on screen: Screen) -> String
    /// For a program: one JSON document.
    var json: String { get }
    var status: ExitStatus { get }
    /// Colours the text. That is done last: what is shown has no escapes of others any more.
    func painted(_ text: String, _ colour: Colour) -> String
}

extension CommandOutput {
    package var status: ExitStatus { .success }
    package func painted(_ text: String, _ colour: Colour) -> String { text }
}

package struct Screen: Sendable {
    package let width: Int
    /// Whether block characters can be shown; else bars are of `#`.
    package let hasBlocks: Bool

    package init(width: Int, hasBlocks: Bool = false) {
        self.width = width
        self.hasBlocks = hasBlocks
    }
}

// MARK: JSON

protocol JSONPart {
    var part: JSONValue { get }
}

/// A JSON object with its members in the order of the literal. Nil becomes null.
struct Fields: JSONPart, Sendable, ExpressibleByDictionaryLiteral {
    private var members: [JSONObject.Member]

    init(dictionaryLiteral members: (String, (any JSONPart)?)...) {
        self.members = members.map { JSONObject.Member(key: $0, value: $1?.part ?? .null) }
    }

    init(_ counts: [(name: String, count: Int)]) {
        members = counts.map { JSONObject.Member(key: $0.name, value: .int(Int64($0.count))) }
    }

    var part: JSONValue { .object(JSONObject(members)) }

    static func + (first: Fields, second: Fields) -> Fields {
        var all = first
        all.members += second.members
        return all
    }

    static func text(_ fields: Fields) -> String { fields.document }
}

extension JSONPart {
    var document: String {
        var json = JSONWriter()
        json.value(part)
        return json.string
    }
}

extension JSONValue: JSONPart { var part: JSONValue { self } }
extension String: JSONPart { var part: JSONValue { .string(self) } }
extension Bool: JSONPart { var part: JSONValue { .bool(self) } }
extension Int: JSONPart { var part: JSONValue { .int(Int64(self)) } }
extension Int16: JSONPart { var part: JSONValue { .int(Int64(self)) } }
extension Int32: JSONPart { var part: JSONValue { .int(Int64(self)) } }
extension Int64: JSONPart { var part: JSONValue { .int(self) } }
extension Instant: JSONPart { var part: JSONValue { .string(rfc3339) } }
extension LocalDate: JSONPart { var part: JSONValue { .string(iso) } }
extension UUID: JSONPart { var part: JSONValue { .string(uuidString.lowercased()) } }
extension Array: JSONPart where Element: JSONPart { var part: JSONValue { .array(map(\.part)) } }
