/// A JSON document or a part of one (RFC 8259).
///
/// A number without fraction and exponent that fits 64 bits is an `int`; every other number is a `number`. A number too large for a
/// `Double` is the largest one of its sign, since a document is not wrong for holding it.
public enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case int(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)
}

extension JSONValue {
    /// Nesting deeper than this is an error: it bounds the parser's stack.
    public static let maximumDepth = 512

    /// Parses a whole document. Strict: one value, white space around it, nothing else.
    ///
    /// Invalid UTF-8, a byte-order mark, a lone surrogate escape and unescaped control characters are errors.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { JSONParser.parse($0, Self.maximumDepth) }.get()
    }

    /// Parses a whole document of UTF-8 bytes.
    ///
    /// - Parameter maximumDepth: less than usual where the stack is small: a level takes up to a kilobyte of it.
    public init(parsing bytes: some Collection<UInt8>, maximumDepth: Int = Self.maximumDepth) throws(JSONError) {
        if let result = bytes.withContiguousStorageIfAvailable({ JSONParser.parse($0, maximumDepth) }) {
            self = try result.get()
        } else {
            self = try Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, maximumDepth) }.get()
        }
    }

    /// The member of an object; nil where this is no object or has no such key.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The string, where it is one.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer, where it is one.
    package var integer: Int64? { if case .int(let number) = self { number } else { nil } }

    /// The type's name in words, for errors: never the value.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .number: "a number that is no 64-bit integer"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
