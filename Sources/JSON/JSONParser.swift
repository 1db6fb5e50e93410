/// A recursive-descent parser. The bytes must outlive it, so it is made and used inside one closure.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depth = 0
    private let maximumDepth: Int

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ maximumDepth: Int) {
        self.bytes = bytes
        self.maximumDepth = maximumDepth
    }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ maximumDepth: Int) -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            var parser = JSONParser(bytes, maximumDepth)
            parser.skipSpace()
            let value = try parser.value()
            parser.skipSpace()
            guard parser.position == bytes.count else { throw parser.error("something follows the document's value") }
            return .success(value)
        } catch {
            return .failure(error)
        }
    }

    func error(_ what: String) -> JSONError { JSONError(offset: position, what: what) }

    /// The byte at the position. 0 at the end, because no JSON value contains 0.
    @inline(__always)
    var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inline(__always)
    mutating func skipSpace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private mutating func value() throws(JSONError) -> JSONValue {
        switch current {
        case UInt8(ascii: "{"): return .object(try object())
        case UInt8(ascii: "["): return .array(try array())
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "t"):
            try word("true")
            return .bool(true)
        case UInt8(ascii: "f"):
            try word("false")
            return .bool(false)
        case UInt8(ascii: "n"):
            try word("null")
            return .null
        default:
            let isAtEnd = position == bytes.count
            throw error(isAtEnd ? "the text ends where a value is expected" : "no JSON value starts here")
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        guard bytes.count - position >= length else { throw error("no JSON value starts here") }
        for index in 0..<length where bytes[position + index] != word.utf8Start[index] {
            throw error("no JSON value starts here")
        }
        position += length
    }

    private mutating func enter() throws(JSONError) {
        depth += 1
        guard depth <= maximumDepth else { throw error("nested deeper than \(maximumDepth)") }
        position += 1
        skipSpace()
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        try enter()
        defer { depth -= 1 }
        var elements: [JSONValue] = []
        if current == UInt8(ascii: "]") {
            position += 1
            return elements
        }
        while true {
            elements.append(try value())
            skipSpace()
            switch current {
            case UInt8(ascii: ","):
                position += 1
                skipSpace()
            case UInt8(ascii: "]"):
                position += 1
                return elements
            default:
                throw error("a comma or ] is expected")
            }
        }
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        try enter()
        defer { depth -= 1 }
        var members: [JSONObject.Member] = []
        if current == UInt8(ascii: "}") {
            position += 1
            return JSONObject()
        }
        while true {
            guard current == UInt8(ascii: "\"") else { throw error("a key in quotation marks is expected") }
            let key = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw error("a colon is expected") }
            position += 1
            skipSpace()
            members.append(JSONObject.Member(key: key, value: try value()))
            skipSpace()
            switch current {
            case UInt8(ascii: ","):
                position += 1
                skipSpace()
            case UInt8(ascii: "}"):
                position += 1
                return JSONObject(members)
            default:
                throw error("a comma or } is expected")
            }
        }
    }
}
