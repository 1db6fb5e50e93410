/// Reads big-endian integers from a byte array, with a check at every step.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    mutating func take(_ length: Int) throws(TimeZoneError) -> ArraySlice<UInt8> {
        guard length >= 0, length <= bytes.count - position else {
            throw TimeZoneError(.malformed, "the file is cut short")
        }
        defer { position += length }
        return bytes[position..<position + length]
    }

    mutating func skip(_ length: Int) throws(TimeZoneError) {
        _ = try take(length)
    }

    /// A signed integer of 4 or 8 bytes.
    mutating func signed(_ size: Int) throws(TimeZoneError) -> Int64 {
        let value = try take(size).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return size == 4 ? Int64(Int32(truncatingIfNeeded: value)) : Int64(bitPattern: value)
    }

    /// An unsigned integer of 4 bytes.
    mutating func count32() throws(TimeZoneError) -> Int {
        Int(try take(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
    }
}
