/// A JSON document or a part of one (RFC 8259).
///
/// A number without fraction and exponent that fits 64 bits is an `int`. Every other number is a `number`. A number too
/// large for a `Double` becomes the largest one of its sign, because such a document is still valid.
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
    /// Deeper nesting is an error. This limits the parser's stack.
    public static let maximumDepth = 512

    /// Parses a whole document: one value with white space around it, nothing else.
    ///
    /// Invalid UTF-8, a byte-order mark, a lone surrogate escape and unescaped control characters are errors.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { JSONParser.parse($0, Self.maximumDepth) }.get()
    }

    /// Parses a whole document of UTF-8 bytes.
    ///
    /// - Parameter maximumDepth: The deepest nesting. Use less than the default on a small stack: a level needs up to a
    ///   kilobyte.
    public init(parsing bytes: some Collection<UInt8>, maximumDepth: Int = Self.maximumDepth) throws(JSONError) {
        if let result = bytes.withContiguousStorageIfAvailable({ JSONParser.parse($0, maximumDepth) }) {
            self = try result.get()
        } else {
            self = try Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, maximumDepth) }.get()
        }
    }

    /// The member of an object. Nil if this is not an object or has no such key.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    /// The string. Nil if this is not one.
    package var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer. Nil if this is not one.
    package var integer: Int64? { if case .int(let number) = self { number } else { nil } }

    /// The type's name for error messages. It never contains the value.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .int: "an integer"
        case .number: "a number that is not a 64-bit integer"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
