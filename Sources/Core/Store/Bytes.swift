/// Writes compact values for columns that only the daemon reads. `ByteReader` reads them in the same order.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    /// With room for most values, so that they grow into no other buffer.
    init() { bytes.reserveCapacity(128) }

    mutating func byte(_ value: UInt8) { bytes.append(value) }

    /// Seven bits in each byte, the lowest first; the top bit says that more follow.
    mutating func count(_ value: Int) { unsigned(UInt64(clamping: value)) }

    /// Small numbers of either sign take few bytes.
    mutating func number(_ value: Int64) { unsigned(UInt64(bitPattern: value << 1 ^ value >> 63)) }

    mutating func data(_ value: some Collection<UInt8>) {
        count(value.count)
        bytes.append(contentsOf: value)
    }

    mutating func text(_ value: String) { data(value.utf8) }

    mutating func optional<T>(_ value: T?, _ write: (inout ByteWriter, T) -> Void) {
        byte(value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }

    private mutating func unsigned(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }
}

struct Malformed: Error {}

/// Reads what `ByteWriter` wrote, or fails: it reads nothing beyond the end, and checks each count.
struct ByteReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func byte() throws(Malformed) -> UInt8 {
        guard place < bytes.count else { throw Malformed() }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func count() throws(Malformed) -> Int {
        let value = try unsigned()
        // Each element takes a byte or more.
        guard value <= UInt64(bytes.count - place) else { throw Malformed() }
        return Int(value)
    }

    mutating func number() throws(Malformed) -> Int64 {
        let value = try unsigned()
        return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
    }

    mutating func data() throws(Malformed) -> ArraySlice<UInt8> {
        let count = try count()
        defer { place += count }
        return bytes[place..<place + count]
    }

    mutating func text() throws(Malformed) -> String {
        guard let text = String(validating: try data(), as: UTF8.self) else { throw Malformed() }
        return text
    }

    /// Whether an optional value is there. It follows.
    mutating func isThere() throws(Malformed) -> Bool {
        let byte = try byte()
        guard byte <= 1 else { throw Malformed() }
        return byte == 1
    }

    mutating func list<T>(_ read: (inout ByteReader) throws(Malformed) -> T) throws(Malformed) -> [T] {
        var all: [T] = []
        for _ in 0..<(try count()) { all.append(try read(&self)) }
        return all
    }

    func end() throws(Malformed) { if place < bytes.count { throw Malformed() } }

    private mutating func unsigned() throws(Malformed) -> UInt64 {
        var value: UInt64 = 0
        for shift in stride(from: 0, through: 63, by: 7) {
            let byte = try byte()
            guard shift < 63 || byte <= 1 else { throw Malformed() }
            value |= UInt64(byte & 0x7F) << UInt64(shift)
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }
}
