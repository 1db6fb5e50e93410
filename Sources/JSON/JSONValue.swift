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
    public init(parsing text: String) throws(JSONError) { try self.init(parsing: text.utf8) }

    /// Parses a whole document of UTF-8 bytes.
    ///
    /// - Parameter maximumDepth: The deepest nesting. Use less than the default on a small stack: a level needs up to a
    ///   kilobyte.
    public init(parsing bytes: some Collection<UInt8>, maximumDepth: Int = Self.maximumDepth) throws(JSONError) {
        let result = bytes.withContiguousStorageIfAvailable { JSONParser.parse($0, maximumDepth) }
        self = try (result ?? Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, maximumDepth) }).get()
    }

    /// The member of an object. Nil if this is not an object or has no such key.
    public subscript(key: String) -> JSONValue? {
        guard case .object(let object) = self else { return nil }
        return object[key]
    }

    // Nil if this is of another type.
    package var text: String? { if case .string(let text) = self { text } else { nil } }
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

/// Why a text is not a JSON document: the place and the fault. It never holds a part of the text.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Offset in bytes from the start of the text.
    public let offset: Int
    public let what: String

    /// One line: `byte 12: a string is not closed`.
    public var description: String { "byte \(offset): \(what)" }
}

/// The members of a JSON object in the order of their keys' first appearance. Of two equal keys the last value counts.
///
/// Keys are equal if their UTF-8 is equal. Swift's `String ==` would also treat canonically equivalent keys as equal
/// (U+212A KELVIN SIGN and `K`). These are two keys in JSON.
public struct JSONObject: Sendable, Equatable {
    public struct Member: Sendable, Equatable {
        public let key: String
        public var value: JSONValue

        public init(key: String, value: JSONValue) { (self.key, self.value) = (key, value) }

        public static func == (left: Member, right: Member) -> Bool {
            left.key.hasSameUTF8(as: right.key) && left.value == right.value
        }
    }

    /// The members. Every key occurs once.
    public private(set) var members: [Member]

    /// An object with these members. Of two equal keys the last one counts.
    public init(_ members: [Member] = []) {
        self.members = members.count <= Self.scanned && Self.areUnique(members) ? members : Self.unique(members)
    }

    /// The value of a key. Setting a value adds or replaces it. Setting nil changes nothing.
    public subscript(key: String) -> JSONValue? {
        get {
            for member in members where member.key.hasSameUTF8(as: key) { return member.value }
            return nil
        }
        set {
            guard let newValue else { return }
            let index = members.firstIndex { $0.key.hasSameUTF8(as: key) }
            if let index { members[index].value = newValue } else { members.append(Member(key: key, value: newValue)) }
        }
    }

    /// Compares members without regard to their order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        guard left.members.count == right.members.count else { return false }
        if left.members.count <= scanned { return left.members.allSatisfy { right[$0.key] == $0.value } }
        return left.sortedMembers == right.sortedMembers
    }

    private var sortedMembers: [Member] { members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }

    /// Up to this many members a scan is faster than an index. Above, a scan would be quadratic for hostile input.
    private static let scanned = 24

    private static func areUnique(_ members: [Member]) -> Bool {
        members.enumerated().allSatisfy { index, member in
            !members[..<index].contains { $0.key.hasSameUTF8(as: member.key) }
        }
    }

    private static func unique(_ members: [Member]) -> [Member] {
        var unique: [Member] = []
        var places: [[UInt8]: Int] = [:]
        for member in members {
            let place = places[Array(member.key.utf8), default: unique.count]
            if place < unique.count {
                unique[place] = member
            } else {
                places[Array(member.key.utf8)] = place
                unique.append(member)
            }
        }
        return unique
    }
}

extension String {
    @inline(__always)
    func hasSameUTF8(as other: String) -> Bool { utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8) }
}
