/// A recursive-descent parser. The bytes must outlive it, so it is made and used inside one closure.
struct JSONParser {
    let bytes: UnsafeBufferPointer<UInt8>
    var position = 0
    private var depth = 0
    private let maximumDepth: Int

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ most: Int) { (self.bytes, maximumDepth) = (bytes, most) }

    static func parse(_ bytes: UnsafeBufferPointer<UInt8>, _ maximumDepth: Int) -> Result<JSONValue, JSONError> {
        do throws(JSONError) {
            var parser = JSONParser(bytes, maximumDepth)
            parser.skipSpace()
            let value = try parser.value()
            parser.skipSpace()
            guard parser.position == bytes.count else { throw parser.error("something follows the document's value") }
            return .success(value)
        } catch { return .failure(error) }
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
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default:
            let isAtEnd = position == bytes.count
            throw error(isAtEnd ? "the text ends where a value is expected" : "no JSON value starts here")
        }
    }

    private mutating func word(_ word: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
        let letters = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard bytes[position...].starts(with: letters) else { throw error("no JSON value starts here") }
        position += letters.count
        return value
    }

    /// Goes to the next element between brackets. False: there is none, and the closing bracket is read.
    ///
    /// No closure reads the elements, because each level must use little of the stack.
    private mutating func hasElement(
        _ isFirst: inout Bool,
        closedBy end: UInt8,
        orElse expected: String
    ) throws(JSONError) -> Bool {
        if isFirst {
            depth += 1
            guard depth <= maximumDepth else { throw error("nested deeper than \(maximumDepth)") }
            position += 1
        }
        skipSpace()
        if current == end {
            position += 1
            depth -= 1
            return false
        }
        if !isFirst {
            guard current == UInt8(ascii: ",") else { throw error(expected) }
            position += 1
            skipSpace()
        }
        isFirst = false
        return true
    }

    private mutating func array() throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        var isFirst = true
        while try hasElement(&isFirst, closedBy: UInt8(ascii: "]"), orElse: "a comma or ] is expected") {
            elements.append(try value())
        }
        return elements
    }

    private mutating func object() throws(JSONError) -> JSONObject {
        var members: [JSONObject.Member] = []
        var isFirst = true
        while try hasElement(&isFirst, closedBy: UInt8(ascii: "}"), orElse: "a comma or } is expected") {
            guard current == UInt8(ascii: "\"") else { throw error("a key in quotation marks is expected") }
            let key = try string()
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw error("a colon is expected") }
            position += 1
            skipSpace()
            members.append(JSONObject.Member(key: key, value: try value()))
        }
        return JSONObject(members)
    }
}

extension JSONParser {
    mutating func string() throws(JSONError) -> String {
        let opening = position
        position += 1
        // What is before the run that is being read. It is empty until the first escape.
        var content: [UInt8] = []
        var start = position
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""):
                let run = UnsafeBufferPointer(rebasing: bytes[start..<position])
                let hasEscapes = !content.isEmpty
                if hasEscapes { content += run }
                let text =
                    hasEscapes ? content.withUnsafeBufferPointer { String(validUTF8: $0) } : String(validUTF8: run)
                guard let text else {
                    throw JSONError(offset: hasEscapes ? opening : start, what: "a string is not valid UTF-8")
                }
                position += 1
                return text
            case UInt8(ascii: "\\"):
                content += bytes[start..<position]
                position += 1
                try escape(into: &content)
                start = position
            case 0..<0x20: throw error("a string contains an unescaped control character")
            default: position += 1
            }
        }
        throw JSONError(offset: opening, what: "a string is not closed")
    }

    private mutating func escape(into content: inout [UInt8]) throws(JSONError) {
        let byte = current
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(byte)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"):
            position += 1
            content.append(contentsOf: Array(UTF8.encode(try escapedScalar()) ?? UTF8.encodedReplacementCharacter))
            return
        default: throw error("an unknown escape")
        }
        position += 1
    }

    /// The position is after `\u`. A surrogate is valid only as half of a pair (RFC 8259, section 7).
    private mutating func escapedScalar() throws(JSONError) -> Unicode.Scalar {
        let start = position
        let first = try hexadecimal()
        if let scalar = Unicode.Scalar(first) { return scalar }
        let lone = JSONError(offset: start, what: "a lone surrogate is escaped")
        guard (0xD800...0xDBFF).contains(first), bytes[position...].starts(with: "\\u".utf8) else { throw lone }
        position += 2
        let second = try hexadecimal()
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw lone }
        return scalar
    }

    private mutating func hexadecimal() throws(JSONError) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<4 {
            let digit: UInt8
            switch current {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = current - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = current - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = current - UInt8(ascii: "A") + 10
            default: throw error("four hexadecimal digits are expected")
            }
            value = value << 4 | UInt32(digit)
            position += 1
        }
        return value
    }

    mutating func number() throws(JSONError) -> JSONValue {
        let start = position
        let isNegative = current == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let firstDigit = position
        // The value is kept negative, because 2^63 doesn't fit but -2^63 does.
        var value: Int64 = 0
        var fits = true
        while let digit = currentDigit {
            let (tenfold, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, underflow) = tenfold.subtractingReportingOverflow(Int64(digit))
            fits = fits && !overflow && !underflow
            value = next
            position += 1
        }
        guard position > firstDigit else { throw error("a digit is expected") }
        guard position == firstDigit + 1 || bytes[firstDigit] != UInt8(ascii: "0") else {
            throw JSONError(offset: firstDigit, what: "a number has a leading zero")
        }
        let end = position
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        // An integer has neither a fraction nor an exponent.
        if position == end, fits, isNegative { return .int(value) }
        if position == end, fits, value != .min { return .int(-value) }
        return .number(double(from: start))
    }

    private mutating func digits() throws(JSONError) {
        guard currentDigit != nil else { throw error("a digit is expected") }
        while currentDigit != nil { position += 1 }
    }

    private var currentDigit: UInt8? {
        let digit = current &- UInt8(ascii: "0")
        return digit < 10 ? digit : nil
    }

    private func double(from start: Int) -> Double {
        let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
        let value = Double(text) ?? 0
        guard value.isInfinite else { return value }
        return value < 0 ? -Double.greatestFiniteMagnitude : .greatestFiniteMagnitude
    }
}

extension String {
    /// The text of UTF-8 bytes. Nil if they are not valid.
    ///
    /// `init(validating:as:)` is only on systems since 2024, and apps that use `NudgedKit` run on older ones.
    init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        var text = String(decoding: bytes, as: UTF8.self)
        // Invalid bytes become U+FFFD, so the bytes are the same only if all were valid.
        guard text.withUTF8({ $0.count == bytes.count && $0.elementsEqual(bytes) }) else { return nil }
        self = text
    }
}
