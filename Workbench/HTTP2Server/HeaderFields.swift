/// Header fields (RFC 9110 section 5) in one allocation, in order, repetitions too. Names are in lower case.
package struct HeaderFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
    /// For each field: name length and value length (two bytes each, big endian), then the name, then the value.
    var packed: [UInt8] = []

    package private(set) var count = 0

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) { elements.forEach { append($0, $1) } }

    /// Adds a field. A name or value over 65,535 bytes is left out.
    package mutating func append(_ name: String, _ value: String) {
        var name = name
        var value = value
        name.withUTF8 { name in
            value.withUTF8 { value in append(UnsafeRawBufferPointer(name), UnsafeRawBufferPointer(value)) }
        }
    }

    /// Adds a field. A name or value over 65,535 bytes is left out.
    package mutating func append(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        guard name.count <= 0xFFFF, value.count <= 0xFFFF else { return }
        if packed.isEmpty { packed.reserveCapacity(160) }
        packed.append(UInt8(truncatingIfNeeded: name.count >> 8))
        packed.append(UInt8(truncatingIfNeeded: name.count))
        packed.append(UInt8(truncatingIfNeeded: value.count >> 8))
        packed.append(UInt8(truncatingIfNeeded: value.count))
        packed.append(contentsOf: name)
        packed.append(contentsOf: value)
        count += 1
    }

    /// The first value of the field as text, with malformed UTF-8 repaired. Nil if there is no such field.
    package subscript(name: String) -> String? { bytes(name).map { String(decoding: $0, as: UTF8.self) } }

    package func bytes(_ name: String) -> ArraySlice<UInt8>? {
        var name = name
        return name.withUTF8 { wanted in
            var offset = 0
            while let field = field(at: offset) {
                // Few names are of one length, so most are not compared.
                if field.name.count == wanted.count, packed[field.name].elementsEqual(wanted) {
                    return packed[field.value]
                }
                offset = field.value.upperBound
            }
            return nil
        }
    }

    package var all: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        var offset = 0
        while let field = field(at: offset) {
            let name = String(decoding: packed[field.name], as: UTF8.self)
            result.append((name, String(decoding: packed[field.value], as: UTF8.self)))
            offset = field.value.upperBound
        }
        return result
    }

    /// The places of the name and the value of the field that begins at `offset`. Nil at the end.
    func field(at offset: Int) -> (name: Range<Int>, value: Range<Int>)? {
        guard offset + 4 <= packed.count else { return nil }
        let nameEnd = offset + 4 + (Int(packed[offset]) << 8 | Int(packed[offset + 1]))
        let valueEnd = nameEnd + (Int(packed[offset + 2]) << 8 | Int(packed[offset + 3]))
        return (offset + 4..<nameEnd, nameEnd..<valueEnd)
    }
}
